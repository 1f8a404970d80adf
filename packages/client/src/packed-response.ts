import { KEY_BYTES, PackedBlock, type TransactionColumns } from './packed-block';
import { MAX_BLOCKS, MAX_HEIGHT, readSyncResponse } from './sync-response';
import type { SyncResponse } from './sync-model';

/**
 * Parses a response of `/getwalletsyncdata` in the exact form in which our nodes write it: fields in their order, no
 * whitespace, keys in base64. A generator that can be interrupted between blocks.
 * @param room columns of an earlier response, which are overwritten
 * @returns undefined for any other text, which `readSyncResponse` parses or rejects
 * @throws NodeFailure `malformed`
 */
export function* readPackedResponse(body: Buffer, room = new ColumnRoom()): Generator<void, SyncResponse | undefined> {
  const reader = new PackedReader(body, room.columnsFor(body.length));
  if (!reader.literal(ITEMS)) return undefined;
  while (!reader.literal(END_OF_LIST)) {
    if (!reader.block()) return undefined;
    yield;
  }
  if (reader.rest.length > MAX_END_BYTES) return undefined;
  const { scannedTo, tip } = readSyncResponse(Buffer.concat([ITEMS, END_OF_LIST, reader.rest]));
  return { blocks: reader.blocks(), scannedTo, tip };
}

const text = (literal: string): Buffer => Buffer.from(literal, 'latin1');

const ITEMS = text('{"items":[');
const BLOCK = text('{"blockHash":"');
const HEIGHT = text('","blockHeight":');
const TIMESTAMP = text(',"blockTimestamp":');
const COINBASE = text(',"coinbaseTX":{');
const TRANSACTIONS = text(',"transactions":[');
const HASH = text('"hash":"');
const OUTPUTS = text('","outputs":[');
const AMOUNT = text('{"amount":');
const KEY = text(',"key":"');
const PUBLIC_KEY = text('],"txPublicKey":"');
const UNLOCK_TIME = text('","unlockTime":');
const INPUTS = text(',"inputs":[');
const KEY_IMAGE = text(',"k_image":"');
const PAYMENT_ID = text('],"paymentID":"');
const COMMA = text(',');
const OPEN = text('{');
const CLOSE = text('}');
const END_OF_LIST = text(']');
const END_OF_BLOCK = text(']}');
const END_OF_TEXT = text('"}');

/** Max size of the fields after the blocks. */
const MAX_END_BYTES = 1024;
/** Max size of a block, because the parser cannot be interrupted within it. Larger ones are parsed on another thread. */
const MAX_BLOCK_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const EQUALS = 0x3d;
const DIGIT_0 = 0x30;
/** Characters of 32 bytes in base64, with the padding. */
const KEY_TEXT = 44;
/** Numbers of this many digits are exact in a double. */
const EXACT_DIGITS = 15;
const MAX_DIGITS = 20;
/** Lower bound of the bytes of an input or output in the exact form. */
const MIN_KEY_ENTRY = 64;
/** Lower bound of the bytes of a transaction in the exact form. */
const MIN_TRANSACTION = 128;
const PAYMENT_ID_TEXT = /^(?:[0-9a-f]{16}|[0-9a-f]{64})?$/;

/** Values of base64 characters; -1 for all others. */
const SEXTETS = new Int8Array(256).fill(-1);
text('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/').forEach((character, value) => {
  SEXTETS[character] = value;
});

interface BlockPlace {
  readonly height: number;
  readonly hash: string;
  readonly timestamp: number;
  readonly first: number;
  readonly end: number;
  readonly hasCoinbase: boolean;
}

/** Column buffers for parsing, reused by consecutive responses: only one response may be parsed at a time. */
export class ColumnRoom {
  private columns: Omit<TransactionColumns, 'paymentIds'> | undefined;
  private bodyBytes = 0;

  /** Columns for everything that a text of this size can contain. */
  columnsFor(bodyBytes: number): Omit<TransactionColumns, 'paymentIds'> {
    if (this.columns === undefined || bodyBytes > this.bodyBytes) {
      this.bodyBytes = bodyBytes;
      this.columns = newColumns(bodyBytes);
    }
    return this.columns;
  }
}

/** Untouched pages of these allocations take no memory. */
function newColumns(bodyBytes: number): Omit<TransactionColumns, 'paymentIds'> {
  const keys = Math.ceil(bodyBytes / MIN_KEY_ENTRY);
  const transactions = Math.ceil(bodyBytes / MIN_TRANSACTION);
  return {
    hashes: Buffer.allocUnsafeSlow(transactions * KEY_BYTES),
    publicKeys: Buffer.allocUnsafeSlow(transactions * KEY_BYTES),
    unlockTimes: new Uint32Array(2 * transactions),
    firstOutputs: new Uint32Array(transactions + 1),
    firstInputs: new Uint32Array(transactions + 1),
    outputKeys: Buffer.allocUnsafeSlow(keys * KEY_BYTES),
    outputAmounts: new Uint32Array(2 * keys),
    keyImages: Buffer.allocUnsafeSlow(keys * KEY_BYTES),
    inputAmounts: new Uint32Array(2 * keys),
  };
}

/** Appends to columns that have room for everything that the text can contain. Methods return false for any other form. */
class PackedReader {
  private at = 0;
  /** The current block must end before this position. */
  private limit = 0;
  private readonly places: BlockPlace[] = [];
  private readonly paymentIds = new Map<number, string>();
  private readonly hash = Buffer.alloc(KEY_BYTES);
  private transactions = 0;
  private outputs = 0;
  private inputs = 0;
  /** The value of the last integer: 32-bit words. */
  private low = 0;
  private high = 0;

  constructor(
    private readonly body: Buffer,
    private readonly columns: Omit<TransactionColumns, 'paymentIds'>,
  ) {}

  get rest(): Buffer {
    return this.body.subarray(this.at);
  }

  /** The parsed blocks. They retain columns of the exact size. */
  blocks(): PackedBlock[] {
    const { columns, transactions, outputs, inputs } = this;
    const packed: TransactionColumns = {
      hashes: Buffer.from(columns.hashes.subarray(0, transactions * KEY_BYTES)),
      publicKeys: Buffer.from(columns.publicKeys.subarray(0, transactions * KEY_BYTES)),
      unlockTimes: columns.unlockTimes.slice(0, 2 * transactions),
      firstOutputs: columns.firstOutputs.slice(0, transactions + 1),
      firstInputs: columns.firstInputs.slice(0, transactions + 1),
      paymentIds: this.paymentIds,
      outputKeys: Buffer.from(columns.outputKeys.subarray(0, outputs * KEY_BYTES)),
      outputAmounts: columns.outputAmounts.slice(0, 2 * outputs),
      keyImages: Buffer.from(columns.keyImages.subarray(0, inputs * KEY_BYTES)),
      inputAmounts: columns.inputAmounts.slice(0, 2 * inputs),
    };
    return this.places.map(
      ({ height, hash, timestamp, ...place }) => new PackedBlock(height, hash, timestamp, packed, place),
    );
  }

  /** Skips the expected text. @returns false if another text comes next */
  literal(expected: Buffer): boolean {
    const { body, at } = this;
    for (let i = 0; i < expected.length; i++) if (body[at + i] !== expected[i]) return false;
    this.at = at + expected.length;
    return true;
  }

  block(): boolean {
    const { places } = this;
    if (places.length > 0 && !this.literal(COMMA)) return false;
    this.limit = Math.min(this.body.length, this.at + MAX_BLOCK_BYTES);
    if (!this.literal(BLOCK) || !this.key(this.hash, 0)) return false;
    const hash = this.hash.toString('hex');
    if (!this.literal(HEIGHT) || !this.integer()) return false;
    const height = this.value();
    const minHeight = (places.at(-1)?.height ?? -1) + 1;
    if (height < minHeight || height >= MAX_HEIGHT || places.length === MAX_BLOCKS) return false;
    if (!this.literal(TIMESTAMP) || !this.integer()) return false;
    const timestamp = this.value();
    if (timestamp > Number.MAX_SAFE_INTEGER) return false;
    const first = this.transactions;
    const hasCoinbase = this.literal(COINBASE);
    if (hasCoinbase && !(this.transaction(false) && this.literal(CLOSE))) return false;
    if (!this.literal(TRANSACTIONS)) return false;
    for (let isFirst = true; !this.literal(END_OF_BLOCK); isFirst = false) {
      if (!isFirst && !this.literal(COMMA)) return false;
      if (!this.literal(OPEN) || !this.transaction(true)) return false;
    }
    places.push({ height, hash, timestamp, first, end: this.transactions, hasCoinbase });
    return true;
  }

  private transaction(hasInputs: boolean): boolean {
    const { columns } = this;
    const index = this.transactions;
    if (!this.literal(HASH) || !this.key(columns.hashes, index)) return false;
    if (!this.literal(OUTPUTS)) return false;
    for (let isFirst = true; !this.literal(PUBLIC_KEY); isFirst = false) {
      if (!isFirst && !this.literal(COMMA)) return false;
      if (!this.keyEntry(KEY, columns.outputKeys, columns.outputAmounts, this.outputs)) return false;
      this.outputs++;
    }
    if (!this.key(columns.publicKeys, index)) return false;
    if (!this.literal(UNLOCK_TIME) || !this.integer()) return false;
    this.store(columns.unlockTimes, index);
    if (hasInputs && !this.spending(index)) return false;
    this.transactions++;
    columns.firstOutputs[index + 1] = this.outputs;
    columns.firstInputs[index + 1] = this.inputs;
    return true;
  }

  /** Inputs and payment id. */
  private spending(index: number): boolean {
    const { columns } = this;
    if (!this.literal(INPUTS)) return false;
    for (let isFirst = true; !this.literal(PAYMENT_ID); isFirst = false) {
      if (!isFirst && !this.literal(COMMA)) return false;
      if (!this.keyEntry(KEY_IMAGE, columns.keyImages, columns.inputAmounts, this.inputs)) return false;
      this.inputs++;
    }
    const end = this.body.indexOf(QUOTE, this.at);
    if (end < 0 || end - this.at > 2 * KEY_BYTES) return false;
    const paymentId = this.body.toString('latin1', this.at, end);
    if (!PAYMENT_ID_TEXT.test(paymentId)) return false;
    if (paymentId !== '') this.paymentIds.set(index, paymentId);
    this.at = end;
    return this.literal(END_OF_TEXT);
  }

  /** An input or output: an amount and a key. */
  private keyEntry(name: Buffer, keys: Buffer, amounts: Uint32Array, index: number): boolean {
    if (!this.literal(AMOUNT) || !this.integer()) return false;
    this.store(amounts, index);
    return this.literal(name) && this.key(keys, index) && this.literal(END_OF_TEXT);
  }

  private store(column: Uint32Array, index: number): void {
    column[2 * index] = this.low;
    column[2 * index + 1] = this.high;
  }

  /** The last integer; inexact above 2^53. */
  private value(): number {
    return this.high * 2 ** 32 + this.low;
  }

  /** Reads an unsigned integer of at most 64 bits. */
  private integer(): boolean {
    const { body, at } = this;
    let value = 0;
    let end = at;
    for (; end - at <= MAX_DIGITS; end++) {
      const digit = (body[end] ?? 0) - DIGIT_0;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
    }
    const digits = end - at;
    if (digits === 0 || (digits > 1 && body[at] === DIGIT_0) || digits > MAX_DIGITS) return false;
    this.at = end;
    if (digits <= EXACT_DIGITS) {
      this.low = value >>> 0;
      this.high = (value - this.low) / 2 ** 32;
      return true;
    }
    const exact = BigInt(body.toString('latin1', at, end));
    if (exact !== BigInt.asUintN(64, exact)) return false;
    this.low = Number(exact & 0xffff_ffffn);
    this.high = Number(exact >> 32n);
    return true;
  }

  /** Decodes 32 bytes in base64. */
  private key(into: Buffer, index: number): boolean {
    const { body, at } = this;
    if (at + KEY_TEXT > this.limit || body[at + KEY_TEXT - 1] !== EQUALS) return false;
    let to = index * KEY_BYTES;
    // Negative as soon as one character is not in the alphabet.
    let valid = 0;
    let from = at;
    for (const last = at + KEY_TEXT - 4; from < last; from += 4) {
      const a = SEXTETS[body[from] as number] as number;
      const b = SEXTETS[body[from + 1] as number] as number;
      const c = SEXTETS[body[from + 2] as number] as number;
      const d = SEXTETS[body[from + 3] as number] as number;
      valid |= a | b | c | d;
      into[to++] = (a << 2) | (b >> 4);
      into[to++] = (b << 4) | (c >> 2);
      into[to++] = (c << 6) | d;
    }
    const a = SEXTETS[body[from] as number] as number;
    const b = SEXTETS[body[from + 1] as number] as number;
    const c = SEXTETS[body[from + 2] as number] as number;
    into[to] = (a << 2) | (b >> 4);
    into[to + 1] = (b << 4) | (c >> 2);
    if ((valid | a | b | c) < 0) return false;
    this.at = at + KEY_TEXT;
    return true;
  }
}
