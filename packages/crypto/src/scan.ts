import { concat32, requireBytes, split32 } from './arguments';
import { binding } from './binding';
import { requireSecret } from './secret';

/** What of a transaction a scan needs. */
export interface ScannedTransaction {
  /** The transaction's public key, 32 bytes. */
  publicKey: Uint8Array;
  /** The one-time keys of its outputs, from output index 0 without a gap, 32 bytes each. */
  outputs: readonly Uint8Array[];
}

/** An output that belongs to one of the spend keys. All three numbers are indexes into the scanned lists. */
export interface OwnedOutput {
  transaction: number;
  output: number;
  spendKey: number;
  derivation: Buffer;
}

/** One view key against many outputs and spend keys. */
export interface ScanOptions {
  viewSecret: Uint8Array;
  transactions: readonly ScannedTransaction[];
  /** Our spend public keys; of equal ones the first is reported. */
  spendKeys: readonly Uint8Array[];
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

const verdicts = async (flags: Promise<Buffer>): Promise<boolean[]> => Array.from(await flags, (flag) => flag === 1);

/**
 * Finds the outputs that belong to the spend keys, on the native threads, in the order of the transactions and their
 * outputs. A transaction key or an output that does not decode belongs to nobody.
 * @throws (as a rejection) RangeError when the view secret is not below the group order or a key is not 32 bytes.
 */
export async function scanOutputsAsync(options: ScanOptions): Promise<OwnedOutput[]> {
  const { viewSecret, transactions, spendKeys } = options;
  requireSecret(viewSecret, 'view secret key');
  const keys = concat32(
    transactions.map((transaction) => transaction.publicKey),
    'transaction keys',
  );
  const counts = Uint32Array.from(transactions, (transaction) => transaction.outputs.length);
  const outputs = concat32(
    transactions.flatMap((transaction) => transaction.outputs),
    'outputs',
  );
  return native().scanOutputs(viewSecret, keys, counts, outputs, concat32(spendKeys, 'spend keys'));
}

/** The same question with its keys one after another, 32 bytes each, for callers that have thousands at once. */
export interface PackedScan {
  viewSecret: Uint8Array;
  /** One key a transaction. */
  transactionKeys: Buffer;
  /** How many outputs each transaction has. */
  outputCounts: Uint32Array;
  /** The one-time keys of all outputs. */
  outputs: Buffer;
  spendKeys: Buffer;
}

/**
 * `scanOutputsAsync` of packed keys, which must stay as they are until it resolves.
 * @throws (as a rejection) RangeError when the view secret is not below the group order or the lengths do not fit.
 */
export async function scanPackedOutputsAsync(scan: PackedScan): Promise<OwnedOutput[]> {
  const { viewSecret, transactionKeys, outputCounts, outputs, spendKeys } = scan;
  requireSecret(viewSecret, 'view secret key');
  const count = outputCounts.reduce((sum, one) => sum + one, 0);
  requireBytes(transactionKeys, 'transaction keys', 32 * outputCounts.length);
  requireBytes(outputs, 'outputs', 32 * count);
  requireBytes(spendKeys, 'spend keys', spendKeys.length - (spendKeys.length % 32));
  return native().scanOutputs(viewSecret, transactionKeys, outputCounts, outputs, spendKeys);
}

/** `checkKey` of many keys, on the native threads. */
export async function checkKeysAsync(keys: readonly Uint8Array[]): Promise<boolean[]> {
  return verdicts(native().checkKeys(concat32(keys, 'public keys')));
}

/** `isPrimeOrder` of many key images, on the native threads. */
export async function checkKeyImagesAsync(keyImages: readonly Uint8Array[]): Promise<boolean[]> {
  return verdicts(native().checkPrimeOrders(concat32(keyImages, 'key images')));
}

/**
 * `generateKeyImage` of many one-time key pairs, on the native threads.
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
  // Memory of its own: what Node.js hands out from its pool lies beside other buffers and outlives this one.
  const secrets = Buffer.alloc(32 * pairs.length);
  try {
    pairs.forEach(({ secretKey }, index) => secrets.set(secretKey, 32 * index));
    // The addon has a copy of its own as soon as the call returns.
    const images = native().keyImages(keys, secrets);
    secrets.fill(0);
    return split32(await images);
  } finally {
    secrets.fill(0);
  }
}

/** How many points a large batch handles at once: 8 with AVX-512 IFMA, 4 with AVX2 and FMA, else 1. */
export function curveLanes(): number {
  return native().curveLanes();
}
