import type { RawBlock } from '@wrkz/core-types';
import { BodyReader, BodyWriter } from './body';
import type {
  MissingTransactions,
  NewBlock,
  NewLiteBlock,
  NewTransactions,
  PoolRequest,
  RequestChain,
  RequestObjects,
  RequestPool,
  ResponseChain,
  ResponseObjects,
} from './messages';

/**
 * Bodies of the commands above 2000 (docs/protocol/p2p.md#commands). A hash list is one string with 32 bytes per hash; empty
 * lists are not written.
 */

const rawBlockShape = { block: 'one', txs: 'many' } as const;

function writeRawBlock(raw: RawBlock): BodyWriter {
  return new BodyWriter().string('block', raw.block).strings('txs', raw.transactions);
}

function readRawBlock(body: BodyReader): RawBlock {
  return { block: body.string('block'), transactions: body.strings('txs') };
}

/** NOTIFY_NEW_BLOCK. */
export const newBlock = {
  encode: (message: NewBlock): Buffer =>
    new BodyWriter()
      .object('b', writeRawBlock(message.block))
      .uint32('current_blockchain_height', message.currentHeight)
      .uint32('hop', message.hop)
      .finish(),
  decode: (bytes: Buffer): NewBlock => {
    const body = BodyReader.of(bytes, { b: rawBlockShape, current_blockchain_height: 'one', hop: 'one' });
    return {
      block: readRawBlock(body.object('b')),
      currentHeight: body.uint32('current_blockchain_height'),
      hop: body.uint32('hop'),
    };
  },
};

/** NOTIFY_NEW_TRANSACTIONS. */
export const newTransactions = {
  encode: (message: NewTransactions): Buffer => new BodyWriter().strings('txs', message.transactions).finish(),
  decode: (bytes: Buffer): NewTransactions => ({
    transactions: BodyReader.of(bytes, { txs: 'many' }).strings('txs'),
  }),
};

/** NOTIFY_REQUEST_GET_OBJECTS. */
export const requestObjects = {
  encode: (message: RequestObjects): Buffer =>
    new BodyWriter().hashes('txs', message.transactions).hashes('blocks', message.blocks).finish(),
  decode: (bytes: Buffer): RequestObjects => {
    const body = BodyReader.of(bytes, { txs: 'one', blocks: 'one' });
    return { transactions: body.hashes('txs'), blocks: body.hashes('blocks') };
  },
};

/** NOTIFY_RESPONSE_GET_OBJECTS. */
export const responseObjects = {
  encode: (message: ResponseObjects): Buffer =>
    new BodyWriter()
      .strings('txs', message.transactions)
      .objects('blocks', message.blocks.map(writeRawBlock))
      .hashes('missed_ids', message.missed)
      .uint32('current_blockchain_height', message.currentHeight)
      .finish(),
  decode: (bytes: Buffer): ResponseObjects => {
    const body = BodyReader.of(bytes, {
      txs: 'many',
      blocks: [rawBlockShape],
      missed_ids: 'one',
      current_blockchain_height: 'one',
    });
    return {
      transactions: body.strings('txs'),
      blocks: body.objects('blocks').map(readRawBlock),
      missed: body.hashes('missed_ids'),
      currentHeight: body.uint32('current_blockchain_height'),
    };
  },
};

/** NOTIFY_REQUEST_CHAIN. */
export const requestChain = {
  encode: (message: RequestChain): Buffer => new BodyWriter().hashes('block_ids', message.hashes).finish(),
  decode: (bytes: Buffer): RequestChain => ({ hashes: BodyReader.of(bytes, { block_ids: 'one' }).hashes('block_ids') }),
};

/** NOTIFY_RESPONSE_CHAIN_ENTRY. */
export const responseChain = {
  encode: (message: ResponseChain): Buffer =>
    new BodyWriter()
      .uint32('start_height', message.startHeight)
      .uint32('total_height', message.totalHeight)
      .hashes('m_block_ids', message.hashes)
      .finish(),
  decode: (bytes: Buffer): ResponseChain => {
    const body = BodyReader.of(bytes, { start_height: 'one', total_height: 'one', m_block_ids: 'one' });
    return {
      startHeight: body.uint32('start_height'),
      totalHeight: body.uint32('total_height'),
      hashes: body.hashes('m_block_ids'),
    };
  },
};

/** NOTIFY_REQUEST_TX_POOL. */
export const requestPool = {
  encode: (message: RequestPool): Buffer => new BodyWriter().hashes('txs', message.hashes).finish(),
  decode: (bytes: Buffer): PoolRequest => ({ packed: BodyReader.of(bytes, { txs: 'one' }).packedHashes('txs') }),
};

/** NOTIFY_NEW_LITE_BLOCK. */
export const newLiteBlock = {
  encode: (message: NewLiteBlock): Buffer =>
    new BodyWriter()
      .uint32('current_blockchain_height', message.currentHeight)
      .uint32('hop', message.hop)
      .string('blockTemplate', message.block)
      .finish(),
  decode: (bytes: Buffer): NewLiteBlock => {
    const body = BodyReader.of(bytes, { current_blockchain_height: 'one', hop: 'one', blockTemplate: 'one' });
    return {
      currentHeight: body.uint32('current_blockchain_height'),
      hop: body.uint32('hop'),
      block: body.string('blockTemplate'),
    };
  },
};

/** NOTIFY_MISSING_TXS. */
export const missingTransactions = {
  encode: (message: MissingTransactions): Buffer =>
    new BodyWriter()
      .uint32('current_blockchain_height', message.currentHeight)
      .string('blockHash', message.blockHash)
      .hashes('missing_txs', message.hashes)
      .finish(),
  decode: (bytes: Buffer): MissingTransactions => {
    const body = BodyReader.of(bytes, { current_blockchain_height: 'one', blockHash: 'one', missing_txs: 'one' });
    return {
      currentHeight: body.uint32('current_blockchain_height'),
      blockHash: body.fixed('blockHash', 32),
      hashes: body.hashes('missing_txs'),
    };
  },
};
