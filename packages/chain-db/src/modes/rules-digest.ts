import { createHash } from 'node:crypto';
import type { BlockFacts, OutputFacts } from '@wrkz/consensus';
import { decodeTransactionPrefix } from '@wrkz/core-types';
import type { RulesDigest } from '../block-row';
import { CorruptDatabase, MissingRow } from '../errors';
import type { ChainReader } from '../reader/reader';

/** Heights between two stored digests. A digest in between is computed from the blocks above a stored one. */
const INTERVAL = 100;
/** Max blocks that one request reads above a stored digest. */
const MAX_BLOCKS = 1_000;
/** Max cached indexes; mainnet has some hundreds of amounts. A full cache is cleared. */
const CACHED_AMOUNTS = 50_000;

/** An output and its amount in atomic units. */
type Output = OutputFacts & { readonly amount: bigint };

const BEFORE_GENESIS: RulesDigest = { height: -1, digest: createHash('sha256').update('chain rules 2').digest() };

/**
 * Computes digests at ascending heights (docs/protocol/storage.md#rules-digest). Full, pruned and lite databases of one chain have
 * the same digests; databases with equal digests accept the same next blocks.
 *
 * The chain up to the last digest must not change between two calls.
 */
export class RulesDigester {
  /** The first global index above the last digest, by amount. */
  private readonly nextIndexes = new Map<bigint, number>();

  constructor(
    private readonly reader: ChainReader,
    private last: RulesDigest = BEFORE_GENESIS,
  ) {}

  /** The next height whose digest is stored. */
  get nextStored(): number {
    return (Math.floor(this.last.height / INTERVAL) + 1) * INTERVAL;
  }

  /** Reads the blocks above the last digest: 100 blocks take some milliseconds. @throws CorruptDatabase */
  advance(height: number): RulesDigest {
    const first = this.last.height + 1;
    const blocks = this.reader.factsRange(first, height + 1).map((facts) => new BlockState(facts));
    const at = (one: number): BlockState => {
      const block = blocks[one - first];
      if (block === undefined)
        throw new CorruptDatabase(`rows of block ${one} are among those of ${first} to ${height}`);
      return block;
    };
    if (blocks.length !== height + 1 - first) throw new MissingRow('blocks', height);
    for (const { image, height: spentAt } of this.reader.keyImagesBetween(first, height + 1))
      at(spentAt).images.push(image);
    if (this.nextIndexes.size > CACHED_AMOUNTS) this.nextIndexes.clear();
    for (const amount of this.amounts(first, height)) {
      const start = this.nextIndexes.get(amount) ?? this.reader.outputCount(amount, this.last.height);
      const outputs = this.reader.outputsUpTo(amount, start, height);
      this.nextIndexes.set(amount, start + outputs.length);
      for (const output of outputs) at(output.height).outputs.push({ ...output, amount });
    }
    this.last = { height, digest: blocks.reduce((digest, block) => block.digest(digest), this.last.digest) };
    return this.last;
  }

  /** Amounts of the outputs in blocks `first` to `height`, ascending; all amounts where no transactions are stored. */
  private amounts(first: number, height: number): bigint[] {
    if (first < this.reader.floors().records) return this.reader.amounts();
    const { prefixes } = this.reader.scanBlocks(first, height + 1);
    const amounts = prefixes.flatMap((prefix) => decodeTransactionPrefix(prefix).outputs.map(({ amount }) => amount));
    return [...new Set(amounts)].sort((a, b) => (a < b ? -1 : 1));
  }
}

/** The data of one block that the rules read. */
class BlockState {
  readonly images: Buffer[] = [];
  /** By ascending amount and global index. */
  readonly outputs: Output[] = [];

  constructor(private readonly facts: BlockFacts) {}

  /** @param previous the digest of the block below */
  digest(previous: Buffer): Buffer {
    const { facts, images, outputs } = this;
    const hash = createHash('sha256').update(previous).update(facts.hash);
    hash.update(
      numbers(
        BigInt(facts.timestamp),
        BigInt(facts.size),
        BigInt(facts.generatedTransactions),
        facts.difficulty,
        facts.cumulativeDifficulty,
        facts.generatedCoins,
        BigInt(images.length),
      ),
    );
    for (const image of images.sort((a, b) => a.compare(b))) hash.update(image);
    hash.update(numbers(BigInt(outputs.length)));
    for (const { amount, key, unlockTime } of outputs) hash.update(numbers(amount, unlockTime)).update(key);
    return hash.digest();
  }
}

/** 8 bytes each, little-endian. */
function numbers(...values: bigint[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 8);
  values.forEach((value, i) => bytes.writeBigUInt64LE(value, i * 8));
  return bytes;
}

/**
 * The digest at a height, computed from the nearest stored digest below. Takes milliseconds once the node has stored all digests.
 * @param height at most the height of the tip
 * @param onStep called every 100 blocks; may throw to cancel
 * @returns undefined if the nearest stored digest is more than `MAX_BLOCKS` below
 * @throws CorruptDatabase
 */
export function rulesDigestAt(reader: ChainReader, height: number, onStep?: () => void): RulesDigest | undefined {
  return reader.snapshot(() => {
    const stored = reader.storedRulesDigest(height);
    if (stored?.height === height) return stored;
    return height - (stored?.height ?? 0) > MAX_BLOCKS ? undefined : last(rulesDigests(reader, height, stored), onStep);
  });
}

/**
 * The digest at the tip in hex, computed from every block, key image and output. Takes minutes on a long chain.
 * @throws CorruptDatabase
 */
export function rulesDigest(reader: ChainReader): string {
  return reader.snapshot(() => last(rulesDigests(reader, reader.height())).digest.toString('hex'));
}

/** The digests that are stored above `from`, then the digest at `height`. The caller holds one snapshot of the database. */
export function* rulesDigests(reader: ChainReader, height: number, from?: RulesDigest): Generator<RulesDigest, void> {
  const digester = new RulesDigester(reader, from);
  for (let reached = from?.height ?? -1; reached < height;) {
    const digest = digester.advance(Math.min(digester.nextStored, height));
    yield digest;
    reached = digest.height;
  }
}

function last(digests: Iterable<RulesDigest>, onStep?: () => void): RulesDigest {
  let found = BEFORE_GENESIS;
  for (const digest of digests) {
    found = digest;
    onStep?.();
  }
  return found;
}
