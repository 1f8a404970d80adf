import type { Devnet } from './devnet';
import type { NodeProcess } from './node-process';

const OLD_BLOCKS = 3;
/** Number of blocks by which the branch of node 3 is longer. */
const LEAD = 2;

/** Cuts node 3 off, mines on both sides, joins them again and reports the reorganisation of nodes 1 and 2. */
export async function showFork(devnet: Devnet, signal: AbortSignal, report: (line: string) => void): Promise<void> {
  const { nodes, link, addresses } = devnet;
  const [node1, node2, node3] = nodes;
  const resumeMining = await devnet.pauseMining();
  try {
    await devnet.untilSynchronized();
    link.cut();
    await node3.untilConnections(0, signal);
    const split = await node3.tip();
    report(`fork: node 3 is cut off at block ${String(split.height)}`);
    await node1.generate(addresses.alice, OLD_BLOCKS);
    const old = await node1.tip();
    await node3.generate(addresses.bob, old.height - split.height + LEAD);
    const tip = await node3.tip();
    report(`fork: node 1 mined to block ${describe(old)}; node 3 to block ${describe(tip)}`);
    link.join();
    await Promise.all([node1, node2].map((node: NodeProcess) => node.untilTip(tip.hash, signal)));
    const depth = String(old.height - split.height);
    report(`fork: reorganisation of nodes 1 and 2: old tip ${describe(old)}, new tip ${describe(tip)}, depth ${depth}`);
  } finally {
    resumeMining();
  }
}

function describe({ height, hash }: { readonly height: number; readonly hash: string }): string {
  return `${String(height)} ${hash}`;
}
