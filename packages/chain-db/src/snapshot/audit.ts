import { SnapshotRefused } from './errors';
import type { SnapshotHeader } from './header';
import type { SnapshotBlock, SnapshotImage, SnapshotOutput, SnapshotRecord } from './records';

/** The block that a database begins with, as a snapshot has it. */
export interface GenesisRows {
  readonly block: SnapshotBlock;
  readonly outputs: readonly SnapshotOutput[];
}

export interface AuditParts {
  readonly header: SnapshotHeader;
  readonly genesis: GenesisRows;
  /** The block that must stand at a height, where that is known. */
  readonly checkpoint: (height: number) => Buffer | undefined;
}

/** Running totals of a block: none may fall from one to the next, and of a chain's two must rise. */
const TOTALS = [
  { falls: 'cumulative difficulty falls', stays: 'cumulative difficulty does not rise' },
  { falls: 'generated coins fall', stays: undefined },
  // A block has a coinbase.
  { falls: 'transaction count falls', stays: 'transaction count does not rise' },
] as const;

/**
 * Holds a snapshot's records against each other and against what is known, before anything is written
 * (docs/protocol/snapshot.md#checks).
 */
export class SnapshotAudit {
  private readonly seen: Uint8Array;
  private readonly totals: BigUint64Array;
  private blocks = 0;
  private images = 0n;
  private outputs = 0n;
  /** Of the amount whose outputs come; they stand together, because keys ascend. */
  private amount: { readonly amount: bigint; count: number; highest: number } | undefined;
  private amounts = 0n;

  /** @throws SnapshotRefused for a header whose counts cannot be right */
  constructor(private readonly parts: AuditParts) {
    const { liteHeight, blockRecords, amountRecords } = parts.header;
    // Before memory is taken by the height.
    if (blockRecords !== BigInt(liteHeight) || amountRecords !== 0n) throw incomplete(blockRecords, liteHeight);
    this.seen = new Uint8Array(liteHeight);
    this.totals = new BigUint64Array(liteHeight * TOTALS.length);
  }

  /** @throws SnapshotRefused */
  add(record: SnapshotRecord): void {
    if (record.table === 'block') this.addBlock(record.block);
    else if (record.table === 'image') this.addImage(record.image);
    else this.addOutput(record.output);
  }

  /** After the last record. @param digest of what was read @throws SnapshotRefused */
  finish(digest: Buffer): void {
    const { header } = this.parts;
    if (!digest.equals(header.digest)) {
      throw new SnapshotRefused(
        `The snapshot's contents hash to ${digest.toString('hex')} but its header claims ${header.digest.toString('hex')}. ` +
          'The file is damaged or has been tampered with. Nothing has been written.',
      );
    }
    this.endAmount();
    if (this.blocks !== header.liteHeight) throw incomplete(this.blocks, header.liteHeight);
    this.compareTotals();
    this.compareCounts();
  }

  private get end(): number {
    return this.parts.header.liteHeight;
  }

  private addBlock(block: SnapshotBlock): void {
    const { height, hash } = block;
    if (height >= this.end) {
      throw new SnapshotRefused(
        `The snapshot carries block ${height}, which is at or above the height it claims to stop below (${this.end})`,
      );
    }
    if (this.seen[height] === 1) throw new SnapshotRefused(`The snapshot carries block ${height} twice`);
    this.seen[height] = 1;
    this.blocks++;
    const totals = [block.cumulativeDifficulty, block.generatedCoins, block.generatedTransactions];
    this.totals.set(totals, height * TOTALS.length);
    if (block.timestamp > LARGEST_NUMBER || block.generatedTransactions > LARGEST_NUMBER) {
      throw new SnapshotRefused(`The snapshot's block ${height} has numbers that no chain has. Refusing it.`);
    }
    const wanted = this.parts.checkpoint(height);
    if (wanted !== undefined && !wanted.equals(hash)) {
      throw new SnapshotRefused(
        `The snapshot's block ${height} is ${hash.toString('hex')}, but this build's checkpoints say it must be ` +
          `${wanted.toString('hex')}. This snapshot is not for this chain.`,
      );
    }
    if (height === 0 && !isSame(block, this.parts.genesis.block)) throw otherGenesis();
  }

  private addImage({ height }: SnapshotImage): void {
    if (height >= this.end) throw this.beyond('a key image spent in', height);
    if (height === 0) {
      throw new SnapshotRefused(
        'The snapshot carries a key image spent in block 0, which spends nothing. Refusing it.',
      );
    }
    this.images++;
  }

  private addOutput(output: SnapshotOutput): void {
    const { amount, index, height } = output;
    if (height >= this.end) throw this.beyond('an output created in', height);
    const known = this.parts.genesis.outputs.find((one) => one.amount === amount && one.index === index);
    if ((height === 0) !== (known !== undefined) || (known !== undefined && !isSame(output, known)))
      throw otherGenesis();
    if (this.amount?.amount !== amount) {
      this.endAmount();
      this.amount = { amount, count: 0, highest: 0 };
      this.amounts++;
    }
    this.amount.count++;
    this.amount.highest = Math.max(this.amount.highest, index);
    this.outputs++;
  }

  /** Keys differ, so as many as the highest index says are all of them. */
  private endAmount(): void {
    if (this.amount === undefined || this.amount.highest === this.amount.count - 1) return;
    const { amount, count, highest } = this.amount;
    throw new SnapshotRefused(
      `The snapshot carries ${count} outputs of amount ${amount} and the highest has index ${highest}: some are missing.`,
    );
  }

  private compareTotals(): void {
    for (let at = TOTALS.length; at < this.totals.length; at++) {
      const { falls, stays } = TOTALS[at % TOTALS.length] as (typeof TOTALS)[number];
      const [before, now] = [this.totals[at - TOTALS.length] as bigint, this.totals[at] as bigint];
      const wrong = now < before ? falls : now === before ? stays : undefined;
      if (wrong === undefined) continue;
      throw new SnapshotRefused(`The snapshot's ${wrong} at block ${Math.floor(at / TOTALS.length)}`);
    }
  }

  private compareCounts(): void {
    const { header } = this.parts;
    const found = {
      keyImageRecords: this.images,
      keyOutputRecords: this.outputs,
      transactions: this.totals[this.totals.length - 1] ?? 0n,
      amounts: this.amounts,
    };
    for (const [name, count] of Object.entries(found) as [keyof typeof found, bigint][]) {
      if (header[name] === count) continue;
      throw new SnapshotRefused(
        `The snapshot's header claims ${header[name]} ${COUNTED[name]} and it carries ${count}. Nothing has been written.`,
      );
    }
  }

  private beyond(what: string, height: number): SnapshotRefused {
    return new SnapshotRefused(
      `The snapshot carries ${what} block ${height}, at or above the height it claims to stop below (${this.end})`,
    );
  }
}

const COUNTED = {
  keyImageRecords: 'key images',
  keyOutputRecords: 'key outputs',
  transactions: 'transactions',
  amounts: 'distinct amounts',
};

const LARGEST_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

function incomplete(blocks: number | bigint, height: number): SnapshotRefused {
  return new SnapshotRefused(
    `The snapshot carries ${blocks} blocks and needs all ${height} below its height. It is incomplete.`,
  );
}

function otherGenesis(): SnapshotRefused {
  return new SnapshotRefused(
    "The snapshot's block 0 is not the genesis block this daemon constructs. This snapshot is not for this chain.",
  );
}

/** Equal in every member. */
function isSame<T extends object>(a: T, b: T): boolean {
  return (Object.keys(b) as (keyof T)[]).every((name) => {
    const [one, other] = [a[name], b[name]];
    return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other;
  });
}
