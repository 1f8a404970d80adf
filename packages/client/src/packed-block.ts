import { NodeFailure } from './failure';
import { MAX_BLOCKS, readSyncResponse } from './sync-response';
import type { SyncBlock, SyncInput, SyncOutput, SyncResponse, SyncTransaction } from './sync-model';

/** The first bytes of a binary response. */
const START = Buffer.from('WSB1', 'latin1');
/** Size of the fields before the columns of a block: size, hash, height, timestamp and four counts. */
const HEAD_BYTES = 64;
/** Bytes of a key or hash. */
const KEY_BYTES = 32;
/** Bytes of one transaction in its columns: hash, public key, unlock time, and three counts of 4 bytes. */
const TRANSACTION_BYTES = 2 * KEY_BYTES + 20;
/** Bytes of an amount and a key in the columns of outputs and inputs. */
const ENTRY_BYTES = KEY_BYTES + 8;
/** Max size of the end of the list and the fields after it. */
const MAX_END_BYTES = 1024;
const PAYMENT_ID_SIZES: ReadonlySet<number> = new Set([0, 8, KEY_BYTES]);

/** The data of a block that a scan needs: concatenated keys of 32 bytes. */
export interface ScanColumns {
  readonly transactionKeys: Buffer;
  /** Number of outputs of each transaction. */
  readonly outputCounts: Uint32Array;
  readonly outputs: Buffer;
}

/**
 * Reads a binary response of `/getwalletsyncdata` (docs/protocol/wallet-sync.md#binary-responses). Its blocks are views of it.
 * @returns undefined for a response in JSON
 * @throws NodeFailure `malformed`
 */
export function readBinaryResponse(body: Buffer): SyncResponse | undefined {
  if (!body.subarray(0, START.length).equals(START)) return undefined;
  const blocks: PackedBlock[] = [];
  let at = START.length;
  for (;;) {
    const size = body.length - at < 4 ? fail('has no end') : body.readUInt32LE(at);
    if (size === 0) break;
    if (size < HEAD_BYTES || size > body.length - at) fail('has a block of a wrong size');
    if (blocks.length === MAX_BLOCKS) fail('has too many blocks');
    const block = PackedBlock.read(body.subarray(at, at + size));
    if (block.height <= (blocks.at(-1)?.height ?? -1)) fail('has blocks that are not in ascending order');
    blocks.push(block);
    at += size;
  }
  if (body.length - at > MAX_END_BYTES) fail('is too long after its blocks');
  const rest = body.toString('utf8', at + 4);
  const { scannedTo, tip } = readSyncResponse(Buffer.from(rest.replace(/^\{/, '{"items":[],')));
  return { blocks, scannedTo, tip };
}

function fail(what: string): never {
  throw new NodeFailure('malformed', `returned an invalid response: it ${what}`);
}

/** A block whose transactions are decoded on first access. Most blocks of a scan are never decoded. */
export class PackedBlock implements SyncBlock {
  private decodedTransactions: readonly SyncTransaction[] | undefined;

  private constructor(
    /** The block in a binary response. */
    private readonly bytes: Buffer,
    readonly height: number,
    readonly hash: string,
    /** Unix seconds. */
    readonly timestamp: number,
    private readonly hasCoinbase: boolean,
    /** Index of the first transaction of this block in the bytes: 1 without the coinbase that they have. */
    private readonly first: number,
  ) {}

  /** @throws NodeFailure `malformed` */
  static read(bytes: Buffer): PackedBlock {
    const timestamp = bytes.readUInt32LE(40) + bytes.readUInt32LE(44) * 2 ** 32;
    const coinbases = bytes.readUInt32LE(48);
    const hash = bytes.toString('hex', 4, 4 + KEY_BYTES);
    const block = new PackedBlock(
      bytes,
      bytes.readUInt32LE(36),
      hash,
      Math.min(timestamp, Number.MAX_SAFE_INTEGER),
      coinbases === 1,
      0,
    );
    block.check(coinbases);
    return block;
  }

  get coinbase(): SyncTransaction | undefined {
    return this.hasCoinbase ? this.decoded[0] : undefined;
  }

  get transactions(): readonly SyncTransaction[] {
    return this.hasCoinbase ? this.decoded.slice(1) : this.decoded;
  }

  get outputCount(): number {
    return this.allOutputs - this.firstOutput;
  }

  get inputCount(): number {
    return this.allInputs;
  }

  withoutCoinbase(): PackedBlock {
    if (!this.hasCoinbase) return this;
    return new PackedBlock(this.bytes, this.height, this.hash, this.timestamp, false, 1);
  }

  /** All transactions, with the coinbase first, as views of the response. */
  scanColumns(): ScanColumns {
    const { bytes, first, end } = this;
    const outputCounts = new Uint32Array(end - first);
    for (let i = first; i < end; i++) outputCounts[i - first] = this.outputsOf(i);
    return {
      transactionKeys: bytes.subarray(this.publicKeyAt(first), this.publicKeyAt(end)),
      outputCounts,
      outputs: bytes.subarray(
        this.outputsAt + this.firstOutput * KEY_BYTES,
        this.outputsAt + this.allOutputs * KEY_BYTES,
      ),
    };
  }

  /** Concatenated key images of all inputs, as a view of the response. */
  get keyImages(): Buffer {
    return this.bytes.subarray(this.inputsAt, this.inputsAt + this.allInputs * KEY_BYTES);
  }

  /** @throws NodeFailure unless the counts match the size of the bytes */
  private check(coinbases: number): void {
    const { bytes, end, allOutputs, allInputs } = this;
    const fixed = HEAD_BYTES + end * TRANSACTION_BYTES + (allOutputs + allInputs) * ENTRY_BYTES;
    if (fixed > bytes.length || coinbases > Math.min(1, end)) fail('has a block with wrong counts');
    let [outputs, inputs, paymentIds] = [0, 0, 0];
    for (let i = 0; i < end; i++) {
      outputs += this.outputsOf(i);
      inputs += this.inputsOf(i);
      const size = this.paymentIdSize(i);
      if (!PAYMENT_ID_SIZES.has(size)) fail('has a payment id of a wrong size');
      paymentIds += size;
    }
    if (outputs !== allOutputs || inputs !== allInputs || fixed + paymentIds !== bytes.length)
      fail('has a block with wrong counts');
    if (coinbases === 1 && this.inputsOf(0) + this.paymentIdSize(0) > 0) fail('has a coinbase with inputs');
  }

  private get end(): number {
    return this.bytes.readUInt32LE(52);
  }

  private get allOutputs(): number {
    return this.bytes.readUInt32LE(56);
  }

  private get allInputs(): number {
    return this.bytes.readUInt32LE(60);
  }

  /** Number of outputs of the coinbase that this block leaves out. */
  private get firstOutput(): number {
    return this.first === 0 ? 0 : this.outputsOf(0);
  }

  private publicKeyAt(index: number): number {
    return HEAD_BYTES + (this.end + index) * KEY_BYTES;
  }

  private outputsOf(index: number): number {
    return this.bytes.readUInt32LE(HEAD_BYTES + 72 * this.end + 4 * index);
  }

  private inputsOf(index: number): number {
    return this.bytes.readUInt32LE(HEAD_BYTES + 76 * this.end + 4 * index);
  }

  private paymentIdSize(index: number): number {
    return this.bytes.readUInt32LE(HEAD_BYTES + 80 * this.end + 4 * index);
  }

  private get outputsAt(): number {
    return HEAD_BYTES + this.end * TRANSACTION_BYTES;
  }

  private get inputsAt(): number {
    return this.outputsAt + this.allOutputs * ENTRY_BYTES;
  }

  private get decoded(): readonly SyncTransaction[] {
    return (this.decodedTransactions ??= this.decode().slice(this.first));
  }

  private decode(): SyncTransaction[] {
    const { bytes, end, allOutputs, allInputs, outputsAt, inputsAt } = this;
    let [output, input, paymentId] = [0, 0, inputsAt + allInputs * ENTRY_BYTES];
    return Array.from({ length: end }, (_, i) => {
      const outputs: SyncOutput[] = [];
      for (const last = output + this.outputsOf(i); output < last; output++) {
        const amount = bytes.readBigUInt64LE(outputsAt + allOutputs * KEY_BYTES + 8 * output);
        outputs.push({ key: hexAt(bytes, outputsAt + output * KEY_BYTES), amount });
      }
      const inputs: SyncInput[] = [];
      for (const last = input + this.inputsOf(i); input < last; input++) {
        const amount = bytes.readBigUInt64LE(inputsAt + allInputs * KEY_BYTES + 8 * input);
        inputs.push({ keyImage: hexAt(bytes, inputsAt + input * KEY_BYTES), amount });
      }
      const idAt = paymentId;
      paymentId += this.paymentIdSize(i);
      return {
        hash: hexAt(bytes, HEAD_BYTES + i * KEY_BYTES),
        transactionPublicKey: hexAt(bytes, this.publicKeyAt(i)),
        unlockTime: bytes.readBigUInt64LE(HEAD_BYTES + 64 * end + 8 * i),
        paymentId: bytes.toString('hex', idAt, paymentId),
        inputs,
        outputs,
      };
    });
  }
}

const hexAt = (bytes: Buffer, at: number): string => bytes.toString('hex', at, at + KEY_BYTES);
