import * as crypto from '../src';

const { secretKey } = crypto.generateKeyPair();
const { MAX_SUB_WALLET_INDEX, MAX_SUB_WALLET_INDEX_AT_ONCE } = crypto;

test.each([0, 1, 2, 5, 4095, 4096, 4097, MAX_SUB_WALLET_INDEX_AT_ONCE])(
  'sub-wallet %i has the same keys from a native thread',
  async (index) => {
    const keys = await crypto.deterministicSubWalletKeysAsync(secretKey, index);
    expect(keys).toEqual(crypto.deterministicSubWalletKeys(secretKey, index));
  },
);

test('indexes above the limits are refused immediately', async () => {
  expect(() => crypto.deterministicSubWalletKeys(secretKey, MAX_SUB_WALLET_INDEX_AT_ONCE + 1)).toThrow(RangeError);
  await expect(crypto.deterministicSubWalletKeysAsync(secretKey, MAX_SUB_WALLET_INDEX + 1)).rejects.toThrow(RangeError);
  await expect(crypto.deterministicSubWalletKeysAsync(Buffer.alloc(31), 1)).rejects.toThrow(RangeError);
});

test('a signal aborts the derivation and frees its thread', async () => {
  const gone = new AbortController();
  const reason = new Error('nobody waits any more');
  const work = crypto.deterministicSubWalletKeysAsync(secretKey, MAX_SUB_WALLET_INDEX, gone.signal);
  gone.abort(reason);
  await expect(work).rejects.toBe(reason);
  await expect(crypto.deterministicSubWalletKeysAsync(secretKey, 1, gone.signal)).rejects.toBe(reason);
  await crypto.checkKeysAsync([crypto.secretKeyToPublicKey(secretKey)]);
});
