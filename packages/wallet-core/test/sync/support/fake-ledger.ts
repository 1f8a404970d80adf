import type { IndexesByTransaction, SyncBlock } from '@wrkz/client';
import type { OwnOutputFound, ScanStart, UnindexedOutput, UnverifiedBlock, WalletTransaction } from '../../../src';
import type { LedgerKeys as ScanKeys, SyncLedger } from '../../../src/ledger/ledger';

export interface FakeOutput {
  readonly height: number;
  readonly transactionHash: string;
  readonly outputIndex: number;
  readonly amount: bigint;
  readonly keyImage: string | undefined;
  readonly privateEphemeral: string | undefined;
  readonly key: string;
  globalIndex: number | undefined;
  spentAt: number | undefined;
}

export interface FakeTransaction {
  readonly height: number;
  readonly hash: string;
  readonly amount: bigint;
  readonly paymentId: string;
}

/** A simple ledger with the received and spent outputs of the keys. */
export class FakeLedger implements SyncLedger {
  blocks: { height: number; hash: string }[] = [];
  outputs: FakeOutput[] = [];
  transactions: FakeTransaction[] = [];
  readonly rewinds: number[] = [];
  /** Heights of blocks that were applied unverified. */
  unverified: number[] = [];
  readonly cancelled: string[] = [];
  unconfirmed: string[] = [];
  /** Heights at which `apply` fails. */
  readonly broken = new Set<number>();

  constructor(
    public keys: ScanKeys,
    public start: ScanStart = { height: 0, timestamp: 0 },
  ) {}

  get total(): bigint {
    return this.outputs.reduce((sum, { spentAt, amount }) => (spentAt === undefined ? sum + amount : sum), 0n);
  }

  position(): { height: number; hash: string | undefined } {
    return this.blocks.at(-1) ?? { height: 0, hash: undefined };
  }

  progress(): { height: number; recentHashes: string[]; checkpointHashes: string[] } {
    const newestFirst = this.blocks.slice(-50).reverse();
    const sparse = this.blocks.filter(({ height }) => height > 0 && height % 200 === 0).reverse();
    return {
      height: this.position().height,
      recentHashes: newestFirst.map(({ hash }) => hash),
      checkpointHashes: sparse.map(({ hash }) => hash),
    };
  }

  scanKeys(): ScanKeys {
    return this.keys;
  }

  scanStart(): ScanStart {
    return this.start;
  }

  startAt(height: number): void {
    this.start = { height, timestamp: 0 };
  }

  apply(
    block: SyncBlock,
    found: readonly OwnOutputFound[],
    decrypted: ReadonlyMap<string, string>,
    isVerified = true,
  ): readonly WalletTransaction[] {
    const { height, hash } = block;
    if (!isVerified) this.unverified.push(height);
    if (this.blocks.length > 0 && height <= this.position().height) throw new Error(`${height} is not above the tip`);
    if (this.broken.has(height)) throw new Error(`${height} cannot be applied`);
    const applied: FakeTransaction[] = [];
    [block.coinbase, ...block.transactions].forEach((transaction, place) => {
      if (transaction === undefined) return;
      const own = found.filter((output) => output.transaction === place);
      let amount = 0n;
      let isOurs = false;
      for (const { keyImage } of transaction.inputs) {
        for (const output of this.outputs) {
          if (output.keyImage !== keyImage || output.spentAt !== undefined) continue;
          output.spentAt = height;
          amount -= output.amount;
          isOurs = true;
        }
      }
      for (const { output, keyImage, privateEphemeral, globalIndex } of own) {
        const { key = '', amount: value = 0n } = transaction.outputs[output] ?? {};
        if (this.outputs.some((known) => known.key === key)) continue;
        this.outputs.push({
          ...{ height, transactionHash: transaction.hash, outputIndex: output, amount: value, key },
          ...{ keyImage, privateEphemeral, globalIndex, spentAt: undefined },
        });
        amount += value;
        isOurs = true;
      }
      if (!isOurs) return;
      const paymentId = decrypted.get(transaction.hash) ?? transaction.paymentId;
      applied.push({ height, hash: transaction.hash, amount, paymentId });
    });
    this.transactions.push(...applied);
    this.blocks.push({ height, hash });
    return [];
  }

  rewind(height: number): void {
    this.rewinds.push(height);
    this.blocks = this.blocks.filter((block) => block.height < height);
    this.transactions = this.transactions.filter((transaction) => transaction.height < height);
    this.outputs = this.outputs.filter((output) => output.height < height);
    for (const output of this.outputs) if ((output.spentAt ?? -1) >= height) output.spentAt = undefined;
  }

  markTip(height: number, hash: string): void {
    this.blocks.push({ height, hash });
  }

  hasOwnSpend(): boolean {
    return false;
  }

  unverifiedBlocks(): readonly UnverifiedBlock[] {
    return [];
  }

  markVerified(): readonly WalletTransaction[] {
    return [];
  }

  setGlobalIndexes(indexes: IndexesByTransaction): void {
    for (const output of this.outputs) {
      output.globalIndex ??= indexes.get(output.transactionHash)?.[output.outputIndex];
    }
  }

  unindexedOutputs(): readonly UnindexedOutput[] {
    return this.outputs
      .filter(({ globalIndex, keyImage }) => globalIndex === undefined && keyImage !== undefined)
      .map(({ height: blockHeight, transactionHash: parentTransactionHash, outputIndex }) => ({
        ...{ blockHeight, parentTransactionHash, outputIndex },
      }));
  }

  unconfirmedHashes(): readonly string[] {
    return this.unconfirmed;
  }

  cancelSend(hash: string): void {
    this.cancelled.push(hash);
    this.unconfirmed = this.unconfirmed.filter((other) => other !== hash);
  }
}
