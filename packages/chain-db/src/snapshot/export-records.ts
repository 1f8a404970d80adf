import type { ChainReader } from '../reader/reader';
import { littleEndianOrder, sortLittleEndian } from './order';
import type { SnapshotBlock, SnapshotImage, SnapshotOutput } from './records';
import { Buckets } from './files';

/** Blocks whose key images are read at a time. */
const BLOCKS_A_READ = 200;
/** Outputs of one amount that are held in memory at a time; of more, each is looked up by itself. */
const HELD_OUTPUTS = 1_000_000;
const OUTPUTS_A_READ = 500;
const IMAGE_BYTES = 32 + 4;
const BUCKETS = 256;

/** Blocks below a height, in the order of their keys. */
export function* exportedBlocks(reader: ChainReader, end: number): Generator<SnapshotBlock, void> {
  for (const height of littleEndianOrder(end)) {
    const facts = reader.facts(height);
    if (facts === undefined) throw new RangeError(`no block ${height}`);
    yield {
      height,
      hash: facts.hash,
      timestamp: BigInt(facts.timestamp),
      size: facts.size,
      cumulativeDifficulty: facts.cumulativeDifficulty,
      generatedCoins: facts.generatedCoins,
      generatedTransactions: BigInt(facts.generatedTransactions),
    };
  }
}

/**
 * Key images spent below a height, ascending. They stand in chain order, so they go through files in `folder` first, as many
 * bytes as they have; `undefined` comes now and then meanwhile.
 */
export function* exportedImages(
  reader: ChainReader,
  end: number,
  folder: string,
): Generator<SnapshotImage | undefined, void> {
  const buckets = new Buckets(folder, BUCKETS, IMAGE_BYTES);
  try {
    const record = Buffer.alloc(IMAGE_BYTES);
    for (let start = 0; start < end; start += BLOCKS_A_READ) {
      for (const { image, height } of reader.keyImagesBetween(start, Math.min(start + BLOCKS_A_READ, end))) {
        image.copy(record);
        record.writeUInt32BE(height, 32);
        buckets.put(image[0] as number, record);
      }
      yield undefined;
    }
    for (const sorted of buckets.sorted()) {
      for (const bytes of sorted) yield { image: bytes.subarray(0, 32), height: bytes.readUInt32BE(32) };
    }
  } finally {
    buckets.close();
  }
}

/** Outputs of blocks below a height, in the order of their keys. `onAmount` hears of each amount. */
export function* exportedOutputs(
  reader: ChainReader,
  end: number,
  onAmount: () => void,
): Generator<SnapshotOutput | undefined, void> {
  for (const amount of sortLittleEndian(reader.amounts())) {
    const count = reader.outputCount(amount, end - 1);
    if (count === 0) continue;
    onAmount();
    const held = yield* hold(reader, amount, count);
    for (const index of littleEndianOrder(count)) {
      const output = held[index] ?? reader.output(amount, index);
      if (output === undefined) throw new RangeError(`no output ${index} of ${amount}`);
      yield { amount, index, ...output };
    }
  }
}

type Held = Omit<SnapshotOutput, 'amount' | 'index'>;

function* hold(reader: ChainReader, amount: bigint, count: number): Generator<undefined, readonly Held[]> {
  const held: Held[] = [];
  const most = Math.min(count, HELD_OUTPUTS);
  while (held.length < most) {
    held.push(...reader.outputsBetween(amount, held.length, Math.min(held.length + OUTPUTS_A_READ, most)));
    yield undefined;
  }
  return held;
}
