import { genesisBlock, type VerifiedBlock } from '@wrkz/consensus';
import { networkOf } from '@wrkz/core-types';
import { makeChain } from './maker';

/** Devnet's genesis and `count` blocks with only a coinbase; they cover all rule versions. */
export function makeCoinbaseChain(count: number): VerifiedBlock[] {
  const plans = Array.from({ length: count }, (_, i) => ({ salt: i, transactions: [] }));
  return [genesisBlock(networkOf('devnet')), ...makeChain(plans)];
}
