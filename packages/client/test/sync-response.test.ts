import { daemonApi } from '@wrkz/api';
import fc from 'fast-check';
import { parseJson, stringifyJson } from '@wrkz/service-kit';
import { readJson } from '@wrkz/testing';
import { NodeFailure, readSyncResponse } from '../src';

const recorded = stringifyJson(parseJson(JSON.stringify(readJson<unknown>('mainnet/getwalletsyncdata_4213000.json'))));

const reads = (text: string): boolean => {
  try {
    readSyncResponse(Buffer.from(text));
    return true;
  } catch (error) {
    if (error instanceof NodeFailure && error.kind === 'malformed') return false;
    throw error;
  }
};

test('decodes a response of mainnet', () => {
  const { blocks, scannedTo, tip } = readSyncResponse(Buffer.from(recorded));
  expect(blocks[0]).toMatchObject({
    height: 4_213_000,
    hash: 'c59f3ff8bd3ff4c8db795d707287241ed4904e9b8af2151c0a767acb04ed4604',
    timestamp: 1_788_894_799,
  });
  expect(blocks[0]?.coinbase?.outputs.length).toBeGreaterThan(0);
  expect([typeof scannedTo, tip]).toEqual(['number', undefined]);
});

test('rejects every changed field that the schema of the route rejects', () => {
  const result = parseJson(recorded);
  const paths: (string | number)[][] = [];
  const walk = (value: unknown, path: (string | number)[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value))
      walk(member, [...path, Array.isArray(value) ? Number(name) : name]);
  };
  walk(result, []);
  // The decoder ignores these two: one follows from the items, the other was not requested.
  const read = paths.filter((path) => !path.includes('synced') && !path.includes('key_offsets'));
  const values = fc.constantFrom<unknown>(
    null,
    true,
    'x',
    '',
    [],
    {},
    -1n,
    2n ** 64n,
    2n ** 64n - 1n,
    0n,
    1.5,
    undefined,
  );
  fc.assert(
    fc.property(fc.constantFrom(...read), values, (path, value) => {
      const copy = parseJson(recorded) as unknown as Record<string | number, unknown>;
      let at = copy;
      for (const name of path.slice(0, -1)) at = at[name] as typeof at;
      at[path.at(-1) as string] = value;
      const text = stringifyJson(copy);
      if (reads(text))
        expect(daemonApi.walletSyncDataResponse.safeParse(parseJson(text)).error?.issues ?? []).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('reads amounts exactly up to 64 bits, and refuses larger ones', () => {
  const text = (amount: string): string =>
    `{"items":[{"blockHash":"${'a'.repeat(64)}","blockHeight":1,"blockTimestamp":1,"coinbaseTX":{"hash":"${'b'.repeat(64)}",` +
    `"outputs":[{"amount":${amount},"key":"${'c'.repeat(64)}"}],"txPublicKey":"${'d'.repeat(64)}","unlockTime":0},` +
    '"transactions":[]}],"status":"OK","synced":false}';
  const { blocks } = readSyncResponse(Buffer.from(text('18446744073709551615')));
  expect(blocks[0]?.coinbase?.outputs[0]?.amount).toBe(2n ** 64n - 1n);
  expect(reads(text('18446744073709551616'))).toBe(false);
  expect(reads(text('1.0'))).toBe(false);
});

test('parses any text as a response or rejects it as malformed', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(recorded.length), (text, at) => {
      reads(text);
      reads(recorded.slice(0, at));
    }),
  );
});
