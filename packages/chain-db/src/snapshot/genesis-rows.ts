import { genesisBlock } from '@wrkz/consensus';
import { networkOf, type NetworkName } from '@wrkz/core-types';
import type { GenesisRows } from './audit';

/** The first block of a network and its outputs, as a snapshot has them. */
export function genesisRows(network: NetworkName): GenesisRows {
  const { facts, block } = genesisBlock(networkOf(network));
  const { outputs, unlockTime } = block.coinbase.transaction;
  const counts = new Map<bigint, number>();
  return {
    block: {
      height: 0,
      hash: facts.hash,
      timestamp: BigInt(facts.timestamp),
      size: facts.size,
      cumulativeDifficulty: facts.cumulativeDifficulty,
      generatedCoins: facts.generatedCoins,
      generatedTransactions: BigInt(facts.generatedTransactions),
    },
    outputs: outputs.map(({ amount, key }, position) => {
      const index = counts.get(amount) ?? 0;
      counts.set(amount, index + 1);
      return { amount, index, key, unlockTime, position, height: 0 };
    }),
  };
}
