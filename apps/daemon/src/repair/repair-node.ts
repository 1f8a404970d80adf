import type { Network } from '@wrkz/core-types';
import type { P2pConfig } from '../p2p/config';
import { P2pNode } from '../p2p/node';
import { noChain, noPool } from './no-chain';

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
