import type { SyncBlock, SyncInput, SyncOutput, SyncTransaction } from './sync-model';

/** Bytes of a key or hash. */
export const KEY_BYTES = 32;

/**
 * The transactions of all blocks of a response in columns, without an object per key. Row i of each column belongs to
 * transaction i, output i or input i, in block order. A coinbase is the first transaction of its block.
 */
export interface TransactionColumns {
  readonly hashes: Buffer;
  readonly publicKeys: Buffer;
  readonly unlockTimes: Uint64Column;
  /** Index of the first output of each transaction, and the number of outputs. */
  readonly firstOutputs: Uint32Array;
  /** Index of the first input of each transaction, and the number of inputs. */
  readonly firstInputs: Uint32Array;
  readonly paymentIds: ReadonlyMap<number, string>;
  readonly outputKeys: Buffer;
  readonly outputAmounts: Uint64Column;
  readonly keyImages: Buffer;
  readonly inputAmounts: Uint64Column;
}

/** Unsigned 64-bit integers as pairs of 32-bit words, low word first. */
export type Uint64Column = Uint32Array;

const uint64At = (column: Uint64Column, index: number): bigint =>
  (BigInt(column[2 * index + 1] ?? 0) << 32n) | BigInt(column[2 * index] ?? 0);

/** The data of a block that a scan needs: concatenated keys of 32 bytes. */
export interface ScanColumns {
  readonly transactionKeys: Buffer;
  /** Number of outputs of each transaction. */
  readonly outputCounts: Uint32Array;
  readonly outputs: Buffer;
}

/** A block whose transactions are decoded from columns on first access. Most blocks of a scan are never decoded. */
export class PackedBlock implements SyncBlock {
  private readonly columns: TransactionColumns;
  private readonly first: number;
  private readonly end: number;
  private readonly hasCoinbase: boolean;
  private decodedTransactions: readonly SyncTransaction[] | undefined;

  /** @param place the transactions [first, end) of the columns */
  constructor(
    readonly height: number,
    readonly hash: string,
    /** Unix seconds. */
    readonly timestamp: number,
    columns: TransactionColumns,
    place: { readonly first: number; readonly end: number; readonly hasCoinbase: boolean },
  ) {
    this.columns = columns;
    this.first = place.first;
    this.end = place.end;
    this.hasCoinbase = place.hasCoinbase;
  }

  get coinbase(): SyncTransaction | undefined {
    return this.hasCoinbase ? this.decoded[0] : undefined;
  }

  get transactions(): readonly SyncTransaction[] {
    return this.hasCoinbase ? this.decoded.slice(1) : this.decoded;
  }

  get outputCount(): number {
    return this.outputEnd - this.outputStart;
  }

  get inputCount(): number {
    return this.inputEnd - this.inputStart;
  }

  withoutCoinbase(): PackedBlock {
    if (!this.hasCoinbase) return this;
    const place = { first: this.first + 1, end: this.end, hasCoinbase: false };
    return new PackedBlock(this.height, this.hash, this.timestamp, this.columns, place);
  }

  /** All transactions, with the coinbase first, as views of the columns. */
  scanColumns(): ScanColumns {
    const { publicKeys, firstOutputs, outputKeys } = this.columns;
    const outputCounts = new Uint32Array(this.end - this.first);
    for (let i = 0; i < outputCounts.length; i++) {
      outputCounts[i] = (firstOutputs[this.first + i + 1] ?? 0) - (firstOutputs[this.first + i] ?? 0);
    }
    return {
      transactionKeys: publicKeys.subarray(this.first * KEY_BYTES, this.end * KEY_BYTES),
      outputCounts,
      outputs: outputKeys.subarray(this.outputStart * KEY_BYTES, this.outputEnd * KEY_BYTES),
    };
  }

  /** Concatenated key images of all inputs, as a view of the columns. */
  get keyImages(): Buffer {
    return this.columns.keyImages.subarray(this.inputStart * KEY_BYTES, this.inputEnd * KEY_BYTES);
  }

  private get outputStart(): number {
    return this.columns.firstOutputs[this.first] ?? 0;
  }

  private get outputEnd(): number {
    return this.columns.firstOutputs[this.end] ?? 0;
  }

  private get inputStart(): number {
    return this.columns.firstInputs[this.first] ?? 0;
  }

  private get inputEnd(): number {
    return this.columns.firstInputs[this.end] ?? 0;
  }

  private get decoded(): readonly SyncTransaction[] {
    return (this.decodedTransactions ??= Array.from({ length: this.end - this.first }, (_, i) =>
      decoded(this.columns, this.first + i),
    ));
  }
}

const hexAt = (column: Buffer, index: number): string =>
  column.toString('hex', index * KEY_BYTES, (index + 1) * KEY_BYTES);

function decoded(columns: TransactionColumns, index: number): SyncTransaction {
  const { firstOutputs, firstInputs, outputKeys, outputAmounts, keyImages, inputAmounts } = columns;
  const outputs: SyncOutput[] = [];
  for (let i = firstOutputs[index] ?? 0; i < (firstOutputs[index + 1] ?? 0); i++) {
    outputs.push({ key: hexAt(outputKeys, i), amount: uint64At(outputAmounts, i) });
  }
  const inputs: SyncInput[] = [];
  for (let i = firstInputs[index] ?? 0; i < (firstInputs[index + 1] ?? 0); i++) {
    inputs.push({ keyImage: hexAt(keyImages, i), amount: uint64At(inputAmounts, i) });
  }
  return {
    hash: hexAt(columns.hashes, index),
    transactionPublicKey: hexAt(columns.publicKeys, index),
    unlockTime: uint64At(columns.unlockTimes, index),
    paymentId: columns.paymentIds.get(index) ?? '',
    inputs,
    outputs,
  };
}
