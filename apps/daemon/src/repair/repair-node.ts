import type { Network, RawBlock } from '@wrkz/core-types';
import { largestBlock, transactionsOfBlock } from '../chain/announced-work';
import type { P2pConfig } from '../p2p/config';
import { P2pNode } from '../p2p/node';
import type { ChainPort, PoolPort } from '../p2p/ports';

/** Starts a node without a chain, which connects to peers and serves none: `--repair` fetches blocks through it. */
export async function startRepairNode(
  network: Network,
  config: P2pConfig,
  notice: (line: string) => void,
): Promise<P2pNode> {
  const logger = { debug: () => undefined, info: () => undefined, warning: notice, error: notice };
  const noListener = { bindHost: '127.0.0.1', bindPort: 0, bindHost6: undefined, hidePort: true, inPeers: 0 };
  const node = new P2pNode(
    { ...config, ...noListener, resetState: false },
    { chain: noChain(network), pool: noPool, logger },
  );
  await node.start();
  return node;
}

/** Far above the height of any chain. */
const FAR_ABOVE = 100_000_000;

/** An empty chain: it contains only genesis and downloads nothing that peers announce. */
function noChain({ genesis }: Network): ChainPort {
  const raw: RawBlock = { block: genesis.block, transactions: [] };
  const isGenesis = (hash: Buffer): boolean => hash.equals(genesis.hash);
  return {
    tip: () => ({ height: 0, hash: genesis.hash }),
    isKnown: () => true,
    heightOf: (hash) => (isGenesis(hash) ? 0 : undefined),
    hashAt: (height) => (height === 0 ? genesis.hash : undefined),
    hashes: (start, count) => (start === 0 && count > 0 ? [genesis.hash] : []),
    rawBlock: (hash) => (isGenesis(hash) ? raw : undefined),
    transaction: () => undefined,
    transactionsOfBlock: () => transactionsOfBlock(FAR_ABOVE),
    largestBlock: () => largestBlock(FAR_ABOVE),
    availability: () => ({}),
    checkProofOfWork: () => Promise.resolve('deep'),
    addBlocks: () => Promise.resolve([]),
    on: () => undefined,
    off: () => undefined,
  };
}

/** A pool that accepts nothing. */
const noPool: PoolPort = {
  add: () => Promise.resolve({ accepted: false, scope: 'none' }),
  has: () => true,
  get: () => undefined,
  hashes: () => [],
  on: () => undefined,
  off: () => undefined,
};
