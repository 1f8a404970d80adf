import { genesisBlock } from '@wrkz/consensus';
import { networkOf, type NetworkName } from '@wrkz/core-types';
import { SnapshotRefused } from '../errors';
import type { SnapshotHeader } from './header';
import type { SpentKeyImage } from '../key-images';
import type { SnapshotBlock, SnapshotOutput, SnapshotRecord } from './records';

export interface AuditOptions {
  readonly header: SnapshotHeader;
  readonly network: NetworkName;
  /** The hash that a checkpoint demands at a height. */
  readonly checkpoint: (height: number) => Buffer | undefined;
}

/** Cumulative values of a block. None may decrease from one block to the next; those with `stays` must increase. */
const TOTALS = [
  { falls: 'cumulative difficulty falls', stays: 'cumulative difficulty does not rise' },
  { falls: 'generated coins fall', stays: undefined },
  // Every block has a coinbase transaction.
  { falls: 'transaction count falls', stays: 'transaction count does not rise' },
] as const;

/** Header counts that are compared with the records, and their names in messages. */
const COUNTS = {
  keyImageRecords: 'key images',
  keyOutputRecords: 'key outputs',
  transactions: 'transactions',
  amounts: 'distinct amounts',
} as const;

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Checks the records of a snapshot against each other, the header, the genesis block and the checkpoints, before anything is
 * written (docs/protocol/snapshot.md#checks).
 */
export class SnapshotAudit {
  private readonly totals: BigUint64Array;
  private readonly genesis: GenesisRows;
  private blocks = 0;
  private images = 0n;
  private outputs = 0n;
  private amounts = 0n;
  /** The amount of the current outputs. Keys ascend, so the outputs of one amount are consecutive. */
  private amount: { readonly amount: bigint; count: number; highest: number } | undefined;

  /** @throws SnapshotRefused if the counts of the header contradict each other */
  constructor(private readonly options: AuditOptions) {
    const { liteHeight, blockRecords, amountRecords } = options.header;
    // Checked before memory is allocated for this height.
    if (blockRecords !== BigInt(liteHeight) || amountRecords !== 0n) throw incomplete(blockRecords, liteHeight);
    this.totals = new BigUint64Array(liteHeight * TOTALS.length);
    this.genesis = genesisRows(options.network);
  }

  /** @throws SnapshotRefused */
  add(record: SnapshotRecord): void {
    if (record.table === 'block') this.addBlock(record.block);
    else if (record.table === 'image') this.addImage(record.image);
    else this.addOutput(record.output);
  }

  /** Called after the last record. @param digest of the payload that was read @throws SnapshotRefused */
  finish(digest: Buffer): void {
    const { header } = this.options;
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
    return this.options.header.liteHeight;
  }

  private addBlock(block: SnapshotBlock): void {
    const { height, hash } = block;
    if (height >= this.end) {
      throw new SnapshotRefused(
        `The snapshot carries block ${height}, which is at or above the height it claims to stop below (${this.end})`,
      );
    }
    // Keys ascend, so no height comes twice.
    this.blocks++;
    const totals = [block.cumulativeDifficulty, block.generatedCoins, block.generatedTransactions];
    this.totals.set(totals, height * TOTALS.length);
    if (block.timestamp > MAX_NUMBER || block.generatedTransactions > MAX_NUMBER) {
      throw new SnapshotRefused(`The snapshot's block ${height} has numbers that no chain has. Refusing it.`);
    }
    const expected = this.options.checkpoint(height);
    if (expected !== undefined && !expected.equals(hash)) {
      throw new SnapshotRefused(
        `The snapshot's block ${height} is ${hash.toString('hex')}, but this build's checkpoints say it must be ` +
          `${expected.toString('hex')}. This snapshot is not for this chain.`,
      );
    }
    if (height === 0 && !isSame(block, this.genesis.block)) throw otherGenesis();
  }

  private addImage({ height }: SpentKeyImage): void {
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
    const known = this.genesis.outputs.find((one) => one.amount === amount && one.index === index);
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

  /** Keys are unique, so the count equals the highest index plus one exactly if no output is missing. */
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
    const { header } = this.options;
    const found = {
      keyImageRecords: this.images,
      keyOutputRecords: this.outputs,
      transactions: this.totals[this.totals.length - 1] ?? 0n,
      amounts: this.amounts,
    };
    for (const [name, count] of Object.entries(found) as [keyof typeof found, bigint][]) {
      if (header[name] === count) continue;
      throw new SnapshotRefused(
        `The snapshot's header claims ${header[name]} ${COUNTS[name]} and it carries ${count}. Nothing has been written.`,
      );
    }
  }

  private beyond(what: string, height: number): SnapshotRefused {
    return new SnapshotRefused(
      `The snapshot carries ${what} block ${height}, at or above the height it claims to stop below (${this.end})`,
    );
  }
}

interface GenesisRows {
  readonly block: SnapshotBlock;
  readonly outputs: readonly SnapshotOutput[];
}

function genesisRows(network: NetworkName): GenesisRows {
  const { facts, block } = genesisBlock(networkOf(network));
  const { outputs, unlockTime } = block.coinbase.transaction;
  const counts = new Map<bigint, number>();
  return {
    block: {
      ...{ height: 0, hash: facts.hash, size: facts.size },
      ...{ cumulativeDifficulty: facts.cumulativeDifficulty, generatedCoins: facts.generatedCoins },
      timestamp: BigInt(facts.timestamp),
      generatedTransactions: BigInt(facts.generatedTransactions),
    },
    outputs: outputs.map(({ amount, key }, position) => {
      const index = counts.get(amount) ?? 0;
      counts.set(amount, index + 1);
      return { amount, index, key, unlockTime, position, height: 0 };
    }),
  };
}

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

/** Equal in every field. */
function isSame<T extends object>(a: T, b: T): boolean {
  return (Object.keys(b) as (keyof T)[]).every((name) => {
    const [one, other] = [a[name], b[name]];
    return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other;
  });
}
