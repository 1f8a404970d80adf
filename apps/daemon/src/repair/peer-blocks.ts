import type { WantedBlock } from '@wrkz/chain-db';
import type { P2pConfig } from '../p2p/config';
import type { FetchedBlock } from '../p2p/fetch/block-fetcher';
import { P2pNode } from '../p2p/node';
import type { Network } from '@wrkz/core-types';
import { noChain, noPool } from './no-chain';

/** Milliseconds without a peer that was not asked yet, after which nobody else is waited for. */
const PATIENCE = 60_000;
/** The same on the test networks, whose peers stand near. */
const SHORT_PATIENCE = 3_000;

export interface PeerBlocksOptions {
  readonly network: Network;
  readonly config: P2pConfig;
  readonly notice: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Peers that are asked for single blocks. They are called when the first block is wanted, and never served. */
export class PeerBlocks {
  private node: Promise<P2pNode> | undefined;
  /** Peers that did not have a block by their numbers; they are not asked for it again. */
  private readonly without = new Map<number, Set<string>>();

  constructor(private readonly options: PeerBlocksOptions) {}

  /** Asks one peer after the other. @returns what was got; less than all where nobody has it, or at the signal */
  async fetch(wanted: readonly WantedBlock[]): Promise<FetchedBlock[]> {
    const { signal } = this.options;
    const node = await (this.node ??= this.start());
    const left = new Map(wanted.map(({ id }) => [id.toString('hex'), id]));
    const got: FetchedBlock[] = [];
    while (left.size > 0 && !signal.aborted) {
      const peer = node.sessionIds().find((id) => this.asksFor(id, left).length > 0);
      if (peer === undefined) {
        if (!(await this.anotherPeer(node))) break;
        continue;
      }
      const ids = this.asksFor(peer, left);
      const blocks = await orAborted(node.fetchBlocks(peer, ids), signal);
      const lacks = this.without.get(peer) ?? new Set();
      for (const id of ids) lacks.add(id.toString('hex'));
      this.without.set(peer, lacks);
      for (const block of blocks ?? []) {
        left.delete(block.id.toString('hex'));
        got.push(block);
      }
      // An answer has a limit: what is beyond it counts as missed, and is asked for again.
      if ((blocks ?? []).length > 0) for (const key of left.keys()) lacks.delete(key);
    }
    return got;
  }

  async stop(): Promise<void> {
    const node = await this.node?.catch(() => undefined);
    await node?.stop();
  }

  private asksFor(peer: number, left: ReadonlyMap<string, Buffer>): Buffer[] {
    const lacks = this.without.get(peer);
    return [...left].filter(([key]) => lacks?.has(key) !== true).map(([, id]) => id);
  }

  private async start(): Promise<P2pNode> {
    const { network, config, notice } = this.options;
    const logger = { debug: () => undefined, info: () => undefined, warning: notice, error: notice };
    const alone = { bindHost: '127.0.0.1', bindPort: 0, bindHost6: undefined, hidePort: true, inPeers: 0 };
    const node = new P2pNode(
      { ...config, ...alone, resetState: false },
      { chain: noChain(network), pool: noPool, logger },
    );
    await node.start();
    return node;
  }

  /** Waits for somebody to connect. @returns false when nobody does in time */
  private anotherPeer(node: P2pNode): Promise<boolean> {
    const { network, signal } = this.options;
    return new Promise((resolve) => {
      const end = (came: boolean): void => {
        clearTimeout(timer);
        node.off('connected', onConnected);
        signal.removeEventListener('abort', onAbort);
        resolve(came);
      };
      const onConnected = (): void => end(true);
      const onAbort = (): void => end(false);
      const timer = setTimeout(() => end(false), network.name === 'mainnet' ? PATIENCE : SHORT_PATIENCE);
      node.on('connected', onConnected);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** undefined when the signal comes first. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
