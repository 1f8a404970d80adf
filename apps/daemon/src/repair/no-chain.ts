import type { Network, RawBlock } from '@wrkz/core-types';
import { largestBlock, transactionsOfBlock } from '../chain/announced-work';
import type { ChainPort, PoolPort } from '../p2p/ports';

/** Some years above any chain. */
const FAR_ABOVE = 100_000_000;

/**
 * The chain of a node that has none to show: peers are told of genesis alone, and nothing that they tell of is fetched by
 * itself.
 */
export function noChain({ genesis }: Network): ChainPort {
  const raw: RawBlock = { block: genesis.block, transactions: [] };
  const isGenesis = (hash: Buffer): boolean => hash.equals(genesis.hash);
  return {
    keeps: () => ({}),
    tip: () => ({ height: 0, hash: genesis.hash }),
    isKnown: () => true,
    heightOf: (hash) => (isGenesis(hash) ? 0 : undefined),
    hashAt: (height) => (height === 0 ? genesis.hash : undefined),
    hashes: (start, count) => (start === 0 && count > 0 ? [genesis.hash] : []),
    rawBlock: (hash) => (isGenesis(hash) ? raw : undefined),
    transaction: () => undefined,
    transactionsOfBlock: () => transactionsOfBlock(FAR_ABOVE),
    largestBlock: () => largestBlock(FAR_ABOVE),
    keeps: () => ({}),
    judgeWork: () => Promise.resolve('deep'),
    addBlocks: () => Promise.resolve([]),
    on: () => undefined,
    off: () => undefined,
  };
}

/** A pool that takes nothing. */
export const noPool: PoolPort = {
  add: () => Promise.resolve({ accepted: false, fault: 'none' }),
  has: () => true,
  get: () => undefined,
  hashes: () => [],
  on: () => undefined,
  off: () => undefined,
};
