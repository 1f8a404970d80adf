import { parseBlock, transactionHash } from '@wrkz/core-types';
import type { BlockCodec } from '../ports';

/** Blocks and transactions as the network writes them. */
export const blockCodec: BlockCodec = {
  parse: (block) => parseBlock(block),
  transactionHash: (transaction) => transactionHash(transaction),
};
