import { decodeRawBlock, type RawBlock } from '@wrkz/core-types';
import { weightOf, WEIGHT_UNDER_WAY } from '../chain/limits';
import { type AddBlockResult, isAccepted } from '../chain/results';
import { type ChainService, ChainStopped } from '../chain/service';
import { DumpError } from './format';
import { DumpReader } from './dump-reader';

/** Blocks given to the engine at a time. */
const PARCEL_BLOCKS = 200;
const PARCEL_BYTES = 128 * 1024;
/** What may wait there at first. The engine commits more together the longer the row is, so more may wait then. */
const FIRST_WEIGHT = 6 * PARCEL_BYTES;

export interface ImportOptions {
  /** Open at its beginning; the import closes it. */
  readonly dump: DumpReader;
  readonly chain: ChainService;
  /**
   * Stops after what is already in the engine's hands; the import can be continued later. Whoever is in a hurry stops
   * the engine too, which drops what waits there.
   */
  readonly signal?: AbortSignal;
  /** Counts of blocks; the total is an estimate from the bytes read. */
  readonly onProgress?: (height: number, total: number) => void;
}

export interface ImportReport {
  /** Index of the block at the tip. */
  readonly height: number;
  /** Blocks of the dump that were added by this run. */
  readonly blocks: number;
  readonly transactions: number;
  readonly stopped: boolean;
}

/** A block of the dump that the chain does not take. What stood before it is stored. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

interface Parcel {
  readonly first: number;
  readonly blocks: RawBlock[];
  bytes: number;
  /** What its blocks weigh while they are under way. */
  weight: number;
}

/**
 * Reads a dump into the chain. Every block is judged by every rule, as if a peer had sent it. Records at or below the
 * present tip are stepped over, so an import that was cut short continues where it was.
 * @throws DumpError, ImportRefused
 */
export async function importDump(options: ImportOptions): Promise<ImportReport> {
  const { dump } = options;
  try {
    const { chain, signal } = options;
    const before = chain.tip();
    try {
      await readInto(options);
    } catch (error) {
      if (!(error instanceof ChainStopped && signal?.aborted === true)) throw error;
    }
    const after = chain.tip();
    const blocks = after.height - before.height;
    const transactions = after.generatedTransactions - before.generatedTransactions - blocks;
    return { height: after.height, blocks, transactions, stopped: signal?.aborted === true };
  } finally {
    await dump.close();
  }
}

async function readInto({ dump: reader, chain, signal, onProgress }: ImportOptions): Promise<void> {
  const waiting: { parcel: Parcel; answer: Promise<AddBlockResult[]> }[] = [];
  let expected = chain.tip().height + 1;
  let previous: number | undefined;
  let weightWaiting = 0;
  let weightSettled = 0;

  const settle = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) return;
    const { parcel } = next;
    const results = await next.answer;
    weightWaiting -= parcel.weight;
    weightSettled += parcel.weight;
    requireAll(parcel, results);
    const count = parcel.first + parcel.blocks.length;
    onProgress?.(count, Math.max(count, Math.round((count * reader.size) / Math.max(1, reader.position))));
  };
  const send = async (parcel: Parcel, more: boolean): Promise<void> => {
    if (parcel.blocks.length === 0) return;
    const answer = chain.addBlocks(parcel.blocks, 'import', more);
    answer.catch(() => undefined); // looked at in its turn
    waiting.push({ parcel, answer });
    weightWaiting += parcel.weight;
    const mayWait = (): number => Math.min(WEIGHT_UNDER_WAY, FIRST_WEIGHT + 2 * weightSettled);
    while (weightWaiting >= mayWait()) await settle();
  };

  // One full parcel stays behind, because the last one has to be known: nothing follows on it.
  let full = newParcel(expected);
  let parcel = newParcel(expected);
  const sendRest = async (): Promise<void> => {
    await send(full, parcel.blocks.length > 0);
    await send(parcel, false);
  };
  try {
    while (signal?.aborted !== true) {
      const record = await reader.next(expected);
      if (record === undefined) break;
      if (previous !== undefined && record.height !== previous + 1) {
        throw new DumpError(`block ${String(record.height)} follows block ${String(previous)}`, reader.position);
      }
      previous = record.height;
      if (record.body === undefined) continue;
      if (record.height !== expected) {
        throw new ImportRefused(
          `the dump starts at block ${String(record.height)}, the chain ends at block ${String(expected - 1)}`,
        );
      }
      parcel.blocks.push(decodeBody(record.body, record.height, reader.position));
      parcel.bytes += record.body.length;
      parcel.weight += weightOf(record.body.length);
      expected += 1;
      if (parcel.blocks.length < PARCEL_BLOCKS && parcel.bytes < PARCEL_BYTES) continue;
      await send(full, true);
      full = parcel;
      parcel = newParcel(expected);
    }
  } catch (error) {
    // What was read beyond a refused block has no parent now: refusing it too would hide the reason.
    if (error instanceof ImportRefused) throw error;
    // The blocks before the bad place are good, so they are stored before the error is reported.
    await sendRest();
    while (waiting.length > 0) await settle();
    throw error;
  }
  await sendRest();
  while (waiting.length > 0) await settle();
}

function newParcel(first: number): Parcel {
  return { first, blocks: [], bytes: 0, weight: 0 };
}

function decodeBody(body: Buffer, height: number, position: number): RawBlock {
  try {
    return decodeRawBlock(body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DumpError(`block ${String(height)} cannot be read: ${why}`, position);
  }
}

function requireAll(parcel: Parcel, results: readonly AddBlockResult[]): void {
  const bad = results.findIndex((result) => !isAccepted(result));
  const result = results[bad];
  if (result !== undefined) {
    throw new ImportRefused(
      `block ${String(parcel.first + bad)} of the dump is refused: ${result.message} (${result.code})`,
    );
  }
}
