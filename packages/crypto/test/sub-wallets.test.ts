import * as crypto from '../src';
import { bytes, hex, keyRows } from './curve-vectors';
import * as oracle from './oracle';

const { secretKey } = crypto.generateKeyPair();
const { MAX_SUB_WALLET_INDEX } = crypto;

test('the recorded sub-wallets', async () => {
  for (const { spend, subwallets } of keyRows('view_from_spend')) {
    for (const [index, keys] of Object.entries(subwallets)) {
      const pair = await crypto.deterministicSubWalletKeysAsync(bytes(spend!), Number(index));
      expect([hex(pair.secretKey), hex(pair.publicKey)]).toEqual([keys.spend, keys.spend_pub]);
    }
  }
});

test.each([0, 1, 2, 5, 4095, 4096, 4097])('sub-wallet %i has the keys of the oracle', async (index) => {
  const keys = await crypto.deterministicSubWalletKeysAsync(secretKey, index);
  expect(keys).toEqual(oracle.deterministicSubWalletKeys(secretKey, index));
});

test('indexes above the limit are refused immediately', async () => {
  await expect(crypto.deterministicSubWalletKeysAsync(secretKey, MAX_SUB_WALLET_INDEX + 1)).rejects.toThrow(RangeError);
  await expect(crypto.deterministicSubWalletKeysAsync(secretKey, -1)).rejects.toThrow(RangeError);
  await expect(crypto.deterministicSubWalletKeysAsync(Buffer.alloc(31), 1)).rejects.toThrow(RangeError);
});

test('a signal aborts the derivation and frees its thread', async () => {
  const gone = new AbortController();
  const reason = new Error('no longer wanted');
  const work = crypto.deterministicSubWalletKeysAsync(secretKey, MAX_SUB_WALLET_INDEX, gone.signal);
  gone.abort(reason);
  await expect(work).rejects.toBe(reason);
  await expect(crypto.deterministicSubWalletKeysAsync(secretKey, 1, gone.signal)).rejects.toBe(reason);
  await crypto.checkKeysAsync([crypto.secretKeyToPublicKey(secretKey)]);
});
