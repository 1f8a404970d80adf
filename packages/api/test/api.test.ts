import { z } from 'zod';
import { daemonApi, decimal, errorMessage, hash, hex, integer, isErrorMessage, powHelperApi, uint64 } from '../src';

const MAX = 18_446_744_073_709_551_615n;

test('uint64 is exact, integer is clamped to 2^53 - 1', () => {
  expect(uint64.parse(MAX)).toBe(MAX);
  for (const wrong of [MAX + 1n, -1n, 5, 1.5, '5', null]) {
    expect([wrong, uint64.safeParse(wrong).success, integer.safeParse(wrong).success]).toEqual([wrong, false, false]);
  }
  expect([0n, 5n, MAX].map((value) => integer.decode(value))).toEqual([0, 5, Number.MAX_SAFE_INTEGER]);
  expect(integer.encode(7)).toBe(7n);
  expect([decimal.decode(7n), decimal.decode(0.5)]).toEqual([7, 0.5]);
});

test.each([
  [hash, 'ab'.repeat(32), true],
  [hash, 'AB'.repeat(32), true],
  [hash, 'ab'.repeat(31), false],
  [hash, 'ab'.repeat(33), false],
  [hash, `${'ab'.repeat(31)}xy`, false],
  [hash, `${'ab'.repeat(32)}\n`, false],
  [hex, '', true],
  [hex, 'aB01', true],
  [hex, 'abc', false],
  [hex, '0x', false],
])('%# hex', (schema, text, right) => expect(schema.safeParse(text).success).toBe(right));

test('an error message with replaced placeholders is recognised', () => {
  const { missing, wrongType, notJson } = daemonApi.refusals;
  const text = errorMessage(missing, { name: "a'{b}" });
  expect(text).toBe("Missing JSON parameter: 'a'{b}'");
  expect(isErrorMessage(missing, text)).toBe(true);
  expect(isErrorMessage(wrongType, text)).toBe(false);
  expect(isErrorMessage(notJson, errorMessage(notJson, { quoted: 'two\nlines ' }))).toBe(true);
  expect(isErrorMessage(missing, `${text} and more`)).toBe(false);
});

test('every daemon error has a sentence for its condition', () => {
  for (const row of [...Object.values(daemonApi.refusals), ...Object.values(daemonApi.rpcErrors)]) {
    expect(row.when).toMatch(/^\S.*\.$/);
  }
});

test('every daemon schema can be printed as JSON schema', () => {
  const schemas = Object.entries(daemonApi).filter(([, value]) => value instanceof z.ZodType);
  expect(schemas.length).toBeGreaterThan(20);
  for (const [, schema] of schemas) {
    expect(() => z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' })).not.toThrow();
  }
});

test('missing request fields get the documented defaults', () => {
  const { rawBlocksRequest, walletSyncDataRequest, generateBlocksParams, blockTemplateParams } = daemonApi;
  const range = { blockHashCheckpoints: [], startHeight: 0, startTimestamp: 0, blockCount: 100 };
  expect(rawBlocksRequest.parse({})).toEqual({ ...range, skipCoinbaseTransactions: false, globalIndexes: false });
  expect(walletSyncDataRequest.parse({})).toEqual({
    ...range,
    encoding: 'hex',
    skipCoinbaseTransactions: false,
    skipInputKeyOffsets: false,
    skipEmptyBlocks: false,
    endHeight: 0,
  });
  expect(generateBlocksParams.parse({ wallet_address: 'x' })).toEqual({ wallet_address: 'x', count: 1, spacing: 60 });
  expect(blockTemplateParams.parse({ wallet_address: 'x' })).toEqual({ wallet_address: 'x' });
});

test('wait_ms and height are ignored if they are not unsigned integers', () => {
  const { waitQuery, submission } = powHelperApi;
  expect(waitQuery.parse({ wait_ms: '0' })).toEqual({ wait_ms: '0' });
  for (const wrong of ['-1', '1.5', '', 'x', ['1', '2']])
    expect(waitQuery.parse({ wait_ms: wrong }).wait_ms).toBe(undefined);
  expect(submission.parse({ prefix: '', wait_ms: 5n, height: 0n })).toEqual({ prefix: '', wait_ms: 5, height: 0 });
  const past = submission.parse({ prefix: '', wait_ms: 2n ** 70n, height: -1n });
  expect(past).toMatchObject({ wait_ms: Number.MAX_SAFE_INTEGER });
  expect(past.height).toBe(undefined);
});

test('a placeholder without a value becomes empty', () => {
  expect(errorMessage({ text: 'a{b}c' })).toBe('ac');
  expect(errorMessage({ text: 'a{b}c' }, { b: '-' })).toBe('a-c');
});
