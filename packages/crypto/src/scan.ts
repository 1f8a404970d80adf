import { concat32, requireBytes, requireSecret, split32 } from './arguments';
import { binding } from './binding';

/** An output that belongs to one of the spend keys. All numbers are indexes into the scanned lists. */
export interface OwnedOutput {
  transaction: number;
  output: number;
  spendKey: number;
  derivation: Buffer;
}

interface ScanBinding {
  scanOutputs(
    viewSecret: Uint8Array,
    transactionKeys: Buffer,
    outputCounts: Uint32Array,
    outputs: Buffer,
    spendKeys: Buffer,
  ): Promise<OwnedOutput[]>;
  checkKeys(keys: Buffer): Promise<Buffer>;
  checkPrimeOrders(keys: Buffer): Promise<Buffer>;
  keyImages(keys: Buffer, secrets: Buffer): Promise<Buffer>;
  curveLanes(): number;
}

const native = (): ScanBinding => binding<ScanBinding>();

const toBooleans = async (flags: Promise<Buffer>): Promise<boolean[]> => Array.from(await flags, (flag) => flag === 1);

/** A scan with one view key, many outputs and spend keys: concatenated keys of 32 bytes each. */
export interface OutputScan {
  viewSecret: Uint8Array;
  /** One key per transaction. */
  transactionKeys: Buffer;
  /** Number of outputs of each transaction. */
  outputCounts: Uint32Array;
  /** The one-time keys of all outputs. */
  outputs: Buffer;
  /** Public spend keys; for equal keys the first index is reported. */
  spendKeys: Buffer;
}

/**
 * Finds the outputs that belong to the spend keys, on the native threads, in the order of the transactions and their
 * outputs. A transaction key or an output that does not decode matches no key.
 * @throws (as a rejection) RangeError if the view secret is not below the group order or the lengths do not match
 */
export async function scanOutputsAsync(scan: OutputScan): Promise<OwnedOutput[]> {
  const { viewSecret, transactionKeys, outputCounts, outputs, spendKeys } = scan;
  requireSecret(viewSecret, 'view secret key');
  const count = outputCounts.reduce((sum, one) => sum + one, 0);
  requireBytes(transactionKeys, 'transaction keys', 32 * outputCounts.length);
  requireBytes(outputs, 'outputs', 32 * count);
  requireBytes(spendKeys, 'spend keys', spendKeys.length - (spendKeys.length % 32));
  return native().scanOutputs(viewSecret, transactionKeys, outputCounts, outputs, spendKeys);
}

/** `checkKey` for many keys, on the native threads. */
export async function checkKeysAsync(keys: readonly Uint8Array[]): Promise<boolean[]> {
  return toBooleans(native().checkKeys(concat32(keys, 'public keys')));
}

/** `isPrimeOrder` for many key images, on the native threads. */
export async function checkKeyImagesAsync(keyImages: readonly Uint8Array[]): Promise<boolean[]> {
  return toBooleans(native().checkPrimeOrders(concat32(keyImages, 'key images')));
}

/**
 * `generateKeyImage` for many one-time key pairs, on the native threads.
 * @throws (as a rejection) RangeError when a secret is not below the group order.
 */
export async function generateKeyImagesAsync(
  pairs: readonly { publicKey: Uint8Array; secretKey: Uint8Array }[],
): Promise<Buffer[]> {
  pairs.forEach(({ secretKey }, index) => requireSecret(secretKey, `secret keys[${index}]`));
  const keys = concat32(
    pairs.map((pair) => pair.publicKey),
    'public keys',
  );
  // A separate allocation, so that the secrets can be wiped: the buffer pool of Node.js is shared with other buffers.
  const secrets = Buffer.alloc(32 * pairs.length);
  try {
    pairs.forEach(({ secretKey }, index) => secrets.set(secretKey, 32 * index));
    // The addon has copied the secrets when the call returns.
    const images = native().keyImages(keys, secrets);
    secrets.fill(0);
    return split32(await images);
  } finally {
    secrets.fill(0);
  }
}

/** Number of points per batch: 8 with AVX-512 IFMA, 4 with AVX2 and FMA, else 1. */
export function curveLanes(): number {
  return native().curveLanes();
}
