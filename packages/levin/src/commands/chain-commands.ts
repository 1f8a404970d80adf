import type { RawBlock } from '@wrkz/core-types';
import { bytes, fixed, hashes, message, object, objects, packedHashes, strings, uint32Field } from './body';
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

/** Bodies of the commands above 2000 (docs/protocol/p2p.md#commands). */

const rawBlock = object<RawBlock>({ block: ['block', bytes], transactions: ['txs', strings] });

/** NOTIFY_NEW_BLOCK. */
export const newBlock = message<NewBlock>({
  block: ['b', rawBlock],
  currentHeight: ['current_blockchain_height', uint32Field],
  hop: ['hop', uint32Field],
});

/** NOTIFY_NEW_TRANSACTIONS. */
export const newTransactions = message<NewTransactions>({ transactions: ['txs', strings] });

/** NOTIFY_REQUEST_GET_OBJECTS. */
export const requestObjects = message<RequestObjects>({ transactions: ['txs', hashes], blocks: ['blocks', hashes] });

/** NOTIFY_RESPONSE_GET_OBJECTS. */
export const responseObjects = message<ResponseObjects>({
  transactions: ['txs', strings],
  blocks: ['blocks', objects(rawBlock)],
  missed: ['missed_ids', hashes],
  currentHeight: ['current_blockchain_height', uint32Field],
});

/** NOTIFY_REQUEST_CHAIN. */
export const requestChain = message<RequestChain>({ hashes: ['block_ids', hashes] });

/** NOTIFY_RESPONSE_CHAIN_ENTRY. */
export const responseChain = message<ResponseChain>({
  startHeight: ['start_height', uint32Field],
  totalHeight: ['total_height', uint32Field],
  hashes: ['m_block_ids', hashes],
});

/** NOTIFY_REQUEST_TX_POOL. */
export const requestPool = {
  encode: message<RequestPool>({ hashes: ['txs', hashes] }).encode,
  decode: message<PoolRequest>({ packed: ['txs', packedHashes] }).decode,
};

/** NOTIFY_NEW_LITE_BLOCK. */
export const newLiteBlock = message<NewLiteBlock>({
  currentHeight: ['current_blockchain_height', uint32Field],
  hop: ['hop', uint32Field],
  block: ['blockTemplate', bytes],
});

/** NOTIFY_MISSING_TXS. */
export const missingTransactions = message<MissingTransactions>({
  currentHeight: ['current_blockchain_height', uint32Field],
  blockHash: ['blockHash', fixed(32)],
  hashes: ['missing_txs', hashes],
});
