import { DecodeError } from '@wrkz/core-types';
import { readJsonLines } from '@wrkz/testing/fixtures';
import fc from 'fast-check';
import { decodeKv, encodeKv, HEADER_SIZE } from '../src';
import { expectBytes, hex } from './bytes';

/** Duration in minutes. */
const MINUTES = Number(process.env['FUZZ_MINUTES'] ?? 1);

/** A sample with some bytes changed, removed or inserted. */
function damaged(samples: readonly Buffer[]): fc.Arbitrary<Buffer> {
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

const messages = readJsonLines<{ frame: string }>('devnet/p2p.jsonl')
  .map(({ frame }) => hex(frame).subarray(HEADER_SIZE))
  .filter(({ length }) => length > 0);

test(
  'damaged messages are rejected, or unchanged after the second encoding',
  () => {
    fc.assert(
      fc.property(damaged(messages), (bytes) => {
        try {
          // Sizes may be in a longer form than needed; the encoder writes the shortest form.
          const once = encodeKv(decodeKv(bytes));
          expectBytes(encodeKv(decodeKv(once)), once);
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
        }
      }),
      { numRuns: Infinity, interruptAfterTimeLimit: MINUTES * 60_000 },
    );
  },
  (MINUTES + 1) * 60_000,
);
