import {
  deriveSecretKey,
  encryptPaymentId,
  generateKeyImagesAsync,
  type OwnedOutput,
  scanOutputsAsync,
} from '@wrkz/crypto';
import { PackedBlock, type ScanColumns, type SyncBlock, type SyncTransaction } from '@wrkz/client/reading';
import type { LedgerKeys } from '../ledger/ledger';
import type { OwnOutputFound } from '../ledger/model';

/** Outputs per native batch: enough to use all SIMD lanes and threads, few enough not to block the event loop. */
const OUTPUTS_A_BATCH = 4_000;

const KEY_SIZE = 32;

export interface ScannedBlock {
  readonly block: SyncBlock;
  readonly found: readonly OwnOutputFound[];
  /** Short payment ids of transactions with an own output, by transaction hash. */
  readonly decryptedPaymentIds: ReadonlyMap<string, string>;
}

/** A block that could not be scanned, with the error. */
export interface UnreadableBlock {
  readonly block: SyncBlock;
  readonly error: unknown;
}

/** The keys of a wallet in the format of the native module. */
interface PreparedKeys {
  readonly viewSecret: Buffer;
  /** Concatenated keys. */
  readonly spendPublic: Buffer;
  readonly spendSecret: readonly (Buffer | undefined)[];
}

/** A transaction of a batch with an own output. */
interface Place {
  /** Index of the block in the batch. */
  readonly block: number;
  /** 0 for the coinbase, else one higher than the index in the block. */
  readonly index: number;
  readonly transaction: SyncTransaction;
}

/**
 * Finds own outputs with their one-time secret keys and key images, on native threads
 * (docs/protocol/wallet-sync.md#scanning). The next batch is scanned while the caller processes the current one.
 */
export async function* scannedBatches(
  blocks: readonly SyncBlock[],
  keys: LedgerKeys,
): AsyncGenerator<readonly (ScannedBlock | UnreadableBlock)[], void> {
  const prepared = prepare(keys);
  let ahead: ReturnType<typeof scanEach> | undefined;
  for (const batch of batchesOf(blocks)) {
    const next = scanEach(batch, keys, prepared);
    if (ahead !== undefined) yield await ahead;
    ahead = next;
  }
  if (ahead !== undefined) yield await ahead;
}

function* batchesOf(blocks: readonly SyncBlock[]): Generator<readonly SyncBlock[], void> {
  let batch: SyncBlock[] = [];
  let outputs = 0;
  for (const block of blocks) {
    batch.push(block);
    outputs += countOutputs(block);
    if (outputs < OUTPUTS_A_BATCH) continue;
    yield batch;
    batch = [];
    outputs = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Scans a failed batch block by block, so that only the invalid block is skipped. */
async function scanEach(
  blocks: readonly SyncBlock[],
  keys: LedgerKeys,
  prepared: PreparedKeys,
): Promise<readonly (ScannedBlock | UnreadableBlock)[]> {
  try {
    return await scan(blocks, keys, prepared);
  } catch (error) {
    const [block] = blocks;
    if (blocks.length === 1 && block !== undefined) return [{ block, error }];
    const results: (ScannedBlock | UnreadableBlock)[] = [];
    for (const one of blocks) results.push(...(await scanEach([one], keys, prepared)));
    return results;
  }
}

async function scan(blocks: readonly SyncBlock[], given: LedgerKeys, keys: PreparedKeys): Promise<ScannedBlock[]> {
  const columns = blocks.map(columnsOf);
  const owned = await scanOutputsAsync({
    viewSecret: keys.viewSecret,
    spendKeys: keys.spendPublic,
    transactionKeys: Buffer.concat(columns.map(({ transactionKeys }) => transactionKeys)),
    outputCounts: concatenated(columns.map(({ outputCounts }) => outputCounts)),
    outputs: Buffer.concat(columns.map(({ outputs }) => outputs)),
  });
  const results = blocks.map((block) => ({
    block,
    found: [] as OwnOutputFound[],
    decryptedPaymentIds: new Map<string, string>(),
  }));
  const places = placesOf(owned, blocks, columns);
  const oneTime = await oneTimeKeys(owned, places, keys);
  owned.forEach((own, i) => {
    const place = places[i];
    const result = place === undefined ? undefined : results[place.block];
    const spendKey = given.spendKeys[own.spendKey];
    if (place === undefined || result === undefined || spendKey === undefined) return;
    const { hash, paymentId } = place.transaction;
    result.found.push({
      transaction: place.index,
      output: own.output,
      publicSpendKey: spendKey.publicSpendKey,
      keyImage: oneTime[i]?.keyImage,
      privateEphemeral: oneTime[i]?.privateEphemeral,
      globalIndex: undefined,
    });
    if (paymentId.length === 16 && !result.decryptedPaymentIds.has(hash)) {
      const plain = encryptPaymentId(Buffer.from(paymentId, 'hex'), own.derivation);
      result.decryptedPaymentIds.set(hash, plain.toString('hex'));
    }
  });
  return results;
}

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/**
 * Concatenates keys without an object per key, to avoid garbage collection of thousands of objects per batch.
 * @throws RangeError for a malformed key
 */
function packed(keys: readonly string[]): Buffer {
  const all = Buffer.allocUnsafe(KEY_SIZE * keys.length);
  keys.forEach((key, i) => {
    if (key.length !== 2 * KEY_SIZE || all.write(key, KEY_SIZE * i, 'hex') !== KEY_SIZE) {
      throw new RangeError('a key does not have 32 bytes');
    }
  });
  return all;
}

function prepare({ privateViewKey, spendKeys }: LedgerKeys): PreparedKeys {
  return {
    viewSecret: bytes(privateViewKey),
    spendPublic: packed(spendKeys.map(({ publicSpendKey }) => publicSpendKey)),
    spendSecret: spendKeys.map(({ privateSpendKey }) =>
      privateSpendKey === undefined ? undefined : bytes(privateSpendKey),
    ),
  };
}

/** Batch size of a block: its outputs, plus one for the block itself. */
function countOutputs(block: SyncBlock): number {
  if (block instanceof PackedBlock) return 1 + block.outputCount;
  let count = 1 + (block.coinbase?.outputs.length ?? 0);
  for (const { outputs } of block.transactions) count += outputs.length;
  return count;
}

const transactionsOf = ({ coinbase, transactions }: SyncBlock): readonly SyncTransaction[] =>
  coinbase === undefined ? transactions : [coinbase, ...transactions];

function columnsOf(block: SyncBlock): ScanColumns {
  if (block instanceof PackedBlock) return block.scanColumns();
  const transactions = transactionsOf(block);
  return {
    transactionKeys: packed(transactions.map(({ transactionPublicKey }) => transactionPublicKey)),
    outputCounts: Uint32Array.from(transactions, ({ outputs }) => outputs.length),
    outputs: packed(transactions.flatMap(({ outputs }) => outputs.map(({ key }) => key))),
  };
}

function concatenated(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The transaction of each own output. `owned` is in ascending order of transactions. */
function placesOf(
  owned: readonly OwnedOutput[],
  blocks: readonly SyncBlock[],
  columns: readonly ScanColumns[],
): (Place | undefined)[] {
  let block = 0;
  let first = 0;
  const countOf = (index: number): number => columns[index]?.outputCounts.length ?? 0;
  return owned.map(({ transaction }) => {
    while (block < blocks.length && transaction >= first + countOf(block)) first += countOf(block++);
    const scanned = blocks[block];
    const found = scanned && transactionsOf(scanned)[transaction - first];
    if (scanned === undefined || found === undefined) return undefined;
    return { block, index: transaction - first + (scanned.coinbase === undefined ? 1 : 0), transaction: found };
  });
}

interface OneTimeKeys {
  readonly keyImage: string;
  readonly privateEphemeral: string;
}

/** Derives the one-time keys. @returns one entry per own output; undefined without the secret spend key */
async function oneTimeKeys(
  owned: readonly OwnedOutput[],
  places: readonly (Place | undefined)[],
  keys: PreparedKeys,
): Promise<(OneTimeKeys | undefined)[]> {
  const pairs = owned.map(({ output, spendKey, derivation }, i) => {
    const secret = keys.spendSecret[spendKey];
    const key = places[i]?.transaction.outputs[output]?.key;
    if (secret === undefined || key === undefined) return undefined;
    return { publicKey: bytes(key), secretKey: deriveSecretKey(derivation, output, secret) };
  });
  const known = pairs.filter((pair) => pair !== undefined);
  if (known.length === 0) return [];
  const images = await generateKeyImagesAsync(known);
  let next = 0;
  return pairs.map((pair) => {
    const image = pair === undefined ? undefined : images[next++];
    if (pair === undefined || image === undefined) return undefined;
    return { keyImage: image.toString('hex'), privateEphemeral: pair.secretKey.toString('hex') };
  });
}
