import { requireBytes, requireInteger } from './arguments';
import { binding } from './binding';
import { type KeyPair, secretKeyToPublicKey } from './keys';

interface SubWalletBinding {
  startSubWalletSecret(secret: Uint8Array, index: number): { promise: Promise<Buffer | null>; stop: () => void };
}

/** The highest supported index: the rule hashes `index` times, about five seconds. Index 2^32 - 1 would take 19 minutes. */
export const MAX_SUB_WALLET_INDEX = 2 ** 24;

/**
 * Keys of sub-wallet `index` (0 to `MAX_SUB_WALLET_INDEX`) of a primary spend secret, from a native thread. Index 0 is the
 * primary wallet itself. The signal cancels it: the promise rejects with
 * the signal's reason at once, the thread ends within a few milliseconds.
 * @throws (as a rejection) RangeError for a higher index
 */
export async function deterministicSubWalletKeysAsync(
  primarySpendSecret: Uint8Array,
  index: number,
  signal?: AbortSignal,
): Promise<KeyPair> {
  requireBytes(primarySpendSecret, 'spend secret key', 32);
  requireInteger(index, 'index', 0, MAX_SUB_WALLET_INDEX);
  signal?.throwIfAborted();
  const { promise, stop } = binding<SubWalletBinding>().startSubWalletSecret(primarySpendSecret, index);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const secretKey = await promise;
    if (secretKey === null) throw signal?.reason;
    return { secretKey, publicKey: secretKeyToPublicKey(secretKey) };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
