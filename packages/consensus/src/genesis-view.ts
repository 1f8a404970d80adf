import type { Network } from '@wrkz/core-types';
import { genesisBlock } from './verified-block';
import type { ChainView } from './view';

/** A chain of the genesis block only. A `BranchView` on top of it is a whole chain in memory. */
export function genesisView(network: Network): ChainView {
  const { block, facts } = genesisBlock(network);
  const { outputs, unlockTime } = block.block.coinbase;
  const ofAmount = (amount: bigint) => outputs.filter((output) => output.amount === amount);
  return {
    height: 0,
    facts: (height) => {
      if (height !== 0) throw new RangeError(`no block ${height} on a chain of height 0`);
      return facts;
    },
    window: (end, count) => (end === 0 && count > 0 ? [facts] : []),
    keyImageHeight: () => undefined,
    output: (amount, index) => {
      const output = ofAmount(amount)[index];
      return output && { key: output.key, unlockTime, height: 0 };
    },
    outputCount: (amount) => ofAmount(amount).length,
    hasTransaction: (hash) => hash.equals(block.coinbase.hash),
  };
}
