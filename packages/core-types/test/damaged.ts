import fc from 'fast-check';

/** Duration in minutes per decoder. */
export const MINUTES = Number(process.env['FUZZ_MINUTES'] ?? 1);

/** A sample with some bytes changed, removed or inserted. */
export function damaged(samples: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(), fc.nat({ max: 4 }), fc.uint8Array({ maxLength: 4 }));
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([sample, changes]) =>
      changes.reduce((bytes, [at, cut, put]) => {
        const place = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]);
      }, sample),
    );
}
