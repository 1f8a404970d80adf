import { daemonApi } from '@wrkz/api';
import { readJsonBody } from './response';

/** A serialized block with its transactions. */
export interface RawChainBlock {
  readonly block: Buffer;
  /** Serialized transactions, without the coinbase. */
  readonly transactions: readonly Buffer[];
  /** Global indexes of the outputs: one list for each transaction, coinbase first. Undefined if the node sends none. */
  readonly globalIndexes?: readonly (readonly number[])[] | undefined;
}

const QUOTE = 0x22;
const CLOSE = 0x7d;
const ITEMS = '{"items":[';
const BLOCK = '{"block":"';
const TRANSACTIONS = ',"transactions":[';
const INDEXES = ',"globalIndexes":';
/** The fields after the blocks. */
const END = /^\],"status":"OK","synced":(?:true|false)(?:,"topBlock":\{[^{}]*\})?\}$/;
const MAX_END_BYTES = 256;

/** A position in a text: [start, end). */
type Span = readonly [start: number, end: number];

/**
 * Parses a response of `/getrawblocks` in the exact form in which our nodes write it, without copies: a block is decoded from
 * hex when it is read, because a wallet reads few of the blocks that it requests.
 * @returns undefined for any other text
 */
export function readPackedRawBlocks(body: Buffer): readonly RawChainBlock[] | undefined {
  const blocks: RawChainBlock[] = [];
  let at = 0;
  const literal = (text: string): boolean => {
    if (body.toString('latin1', at, at + text.length) !== text) return false;
    at += text.length;
    return true;
  };
  /** The hex text up to the next quote. */
  const hex = (): Span | undefined => {
    const start = at;
    const end = body.indexOf(QUOTE, start);
    if (end < 0 || (end - start) % 2 !== 0) return undefined;
    at = end + 1;
    return [start, end];
  };
  if (!literal(ITEMS)) return undefined;
  while (literal(blocks.length === 0 ? BLOCK : `,${BLOCK}`)) {
    const block = hex();
    if (block === undefined || !literal(TRANSACTIONS)) return undefined;
    const transactions: Span[] = [];
    while (literal(transactions.length === 0 ? '"' : ',"')) {
      const transaction = hex();
      if (transaction === undefined) return undefined;
      transactions.push(transaction);
    }
    if (!literal(']')) return undefined;
    let indexes: Span | undefined;
    if (literal(INDEXES)) {
      indexes = [at, body.indexOf(CLOSE, at)];
      at = indexes[1];
    }
    if (!literal('}')) return undefined;
    blocks.push(new HexBlock(body, block, transactions, indexes));
  }
  if (body.length - at > MAX_END_BYTES || !END.test(body.toString('latin1', at))) return undefined;
  return blocks;
}

/** A block in hex. Decoding ends at a character that is not hex, so such a block or transaction is too short to be parsed. */
class HexBlock implements RawChainBlock {
  constructor(
    private readonly body: Buffer,
    private readonly blockSpan: Span,
    private readonly transactionSpans: readonly Span[],
    private readonly indexSpan: Span | undefined,
  ) {}

  get block(): Buffer {
    return this.bytes(this.blockSpan);
  }

  get transactions(): readonly Buffer[] {
    return this.transactionSpans.map((span) => this.bytes(span));
  }

  /** Malformed lists, and more values than a block can have, count as missing. */
  get globalIndexes(): readonly (readonly number[])[] | undefined {
    if (this.indexSpan === undefined) return undefined;
    try {
      return daemonApi.globalIndexLists.parse(readJsonBody(this.body.subarray(...this.indexSpan)));
    } catch {
      return undefined;
    }
  }

  private bytes([start, end]: Span): Buffer {
    return Buffer.from(this.body.toString('latin1', start, end), 'hex');
  }
}
