/**
 * Time of a block through a line of three nodes: `npm run bench -- relay`.
 *
 *   node -r ./scripts/source-loader.cjs bench/relay.bench.ts [--rounds 6] [--blocks 10] [--suite <folder>] [--compare <folder>]
 *
 * Each tree runs three daemons with devnet chain A, the second connected to the first and the third to the second. A block is
 * generated at the first; its time ends when the third serves the new height, polled without a pause. The trees alternate.
 */
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { DaemonProcess } from './support/daemon-process';
import { median, milliseconds, quantile, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    blocks: { type: 'string', default: '10' },
    suite: { type: 'string', default: join(__dirname, '..') },
    compare: { type: 'string' },
  },
});
const RECEIVER = 'WrkzpChjXgDRJzfo7Jk1v1btBG2tZm3n5XSn2rtcFvJDfkeaJsRnWGDMFZQxAozudz9mDQ8yvigK6XAjSrSnYn377MLxmBAwf6';

class Line {
  private constructor(private readonly nodes: readonly DaemonProcess[]) {}

  static async start(tree: string): Promise<Line> {
    const nodes: DaemonProcess[] = [];
    for (let i = 0; i < 3; i++) {
      const peer = nodes[i - 1];
      const options = peer === undefined ? [] : ['--add-exclusive-node', `127.0.0.1:${String(peer.peerPort)}`];
      nodes.push(await DaemonProcess.start(tree, options));
    }
    const line = new Line(nodes);
    // All connections are open when a first block has arrived.
    await line.relay(1);
    return line;
  }

  /** Milliseconds of each block from the request at the first node to the height at the third. */
  async relay(blocks: number): Promise<number[]> {
    const times: number[] = [];
    for (let i = 0; i < blocks; i++) {
      const target = (await this.height(2)) + 1;
      const start = performance.now();
      await this.generate();
      while ((await this.height(2)) < target);
      times.push(since(start));
    }
    return times;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
  }

  private async generate(): Promise<void> {
    const params = { wallet_address: RECEIVER, count: 1 };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'generateblocks', params });
    const response = await fetch(`${this.url(0)}/json_rpc`, { method: 'POST', body });
    const { error } = (await response.json()) as { error?: unknown };
    if (error !== undefined) throw new Error(JSON.stringify(error));
  }

  private async height(node: number): Promise<number> {
    return ((await (await fetch(`${this.url(node)}/height`)).json()) as { height: number }).height;
  }

  private url(node: number): string {
    return `http://127.0.0.1:${String(this.nodes[node]?.port)}`;
  }
}

async function main(): Promise<void> {
  console.log(machine());
  const trees = [...(values.compare === undefined ? [] : [['before', values.compare]]), ['after', values.suite]];
  const lines = await Promise.all(trees.map(async ([, tree = '']) => Line.start(tree)));
  try {
    const times: number[][] = lines.map(() => []);
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [i, line] of lines.entries()) times[i]?.push(...(await line.relay(Number(values.blocks))));
    console.log(`\n${row('a block through three nodes', ['median', '90 %'])}`);
    trees.forEach(([name = ''], i) => {
      const all = times[i] ?? [];
      console.log(row(name, [milliseconds(median(all)), milliseconds(quantile(all, 0.9))]));
    });
  } finally {
    for (const line of lines) await line.stop();
  }
}

runBench(main);
