import { genesisBlock, type VerifiedBlock } from '@wrkz/consensus';
import { networkOf } from '@wrkz/core-types';
import { makeChain } from './maker';

/** Devnet's genesis and `count` blocks with nothing but a coinbase, through every age of the rules. */
export function makeCoinbaseChain(count: number): VerifiedBlock[] {
  const plans = Array.from({ length: count }, (_, i) => ({ salt: i, transactions: [] }));
  return [genesisBlock(networkOf('devnet')), ...makeChain(plans)];
}
