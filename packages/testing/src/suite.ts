import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyChain } from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';
import { writeChainADump } from './chain-a';
import { madeOnce } from './made-once';
import { TestNodeClient } from './node-client';

interface Watched<Event extends string> {
  on(event: Event, listener: () => void): unknown;
  off(event: Event, listener: () => void): unknown;
}

/** The interface of a daemon, as used by tests. */
export interface WholeDaemon {
  readonly ports: { readonly rpc: number; readonly p2p: number };
  readonly parts: {
    readonly chain: Watched<'commit'> & { tip(): { readonly height: number; readonly hash: Buffer } };
    readonly pool: Watched<'added' | 'removed'> & { has(hash: Buffer): boolean; hashes(): Buffer[] };
    readonly peers: Watched<'connected' | 'disconnected'> & { connections(): { outgoing: number; incoming: number } };
  };
  /** Resolves for a one-shot start (import, export, verify). */
  readonly finished: Promise<number> | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export type MakeDaemon<D extends WholeDaemon> = (args: readonly string[]) => D;

export interface NodeOptions {
  /** Loopback ports of the only peers; default none. */
  readonly peers?: readonly number[];
  /** Data folder of a stopped node to start from; it is copied. */
  readonly from?: string;
  readonly args?: readonly string[];
}

/** Max wait for an expected event, milliseconds. Only a hanging test reaches it, because a busy machine may need minutes. */
const TIMEOUT_MS = 300_000;
/** A closed loopback port: a node with only this peer has no connections. */
const NOBODY = 1;

/** Several complete daemons in one process, on loopback, each with a separate folder. */
export class Suite<D extends WholeDaemon = WholeDaemon> {
  private readonly nodes = new Set<SuiteNode<D>>();
  private readonly folders: string[] = [];
  private readonly others: { close(): Promise<void> }[] = [];

  constructor(
    private readonly make: MakeDaemon<D>,
    readonly network: NetworkName = 'devnet',
  ) {}

  /** A folder that `stopAll` removes. */
  folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'wrkz-suite-'));
    this.folders.push(path);
    return path;
  }

  /** Closed by `stopAll`, in reverse order. */
  closeAtEnd<T extends { close(): Promise<void> }>(resource: T): T {
    this.others.push(resource);
    return resource;
  }

  async node(options: NodeOptions = {}): Promise<SuiteNode<D>> {
    const dataDir = this.folder();
    if (options.from !== undefined) cpSync(options.from, dataDir, { recursive: true });
    const daemon = this.make([...nodeArguments(this.network, dataDir, options.peers), ...(options.args ?? [])]);
    const node = new SuiteNode(daemon, dataDir, this.network);
    this.nodes.add(node);
    await daemon.start();
    return node;
  }

  /** Runs a one-shot start on a folder. @returns the exit code */
  async run(dataDir: string, args: readonly string[]): Promise<number> {
    const daemon = this.make([...nodeArguments(this.network, dataDir), ...args]);
    await daemon.start();
    try {
      if (daemon.finished === undefined) throw new Error('the daemon serves and does not end');
      return await daemon.finished;
    } finally {
      await daemon.stop();
    }
  }

  /** A data folder of a stopped node with chain A, imported from a dump once per run of `npm test`, and copied afterwards. */
  async chainA(): Promise<string> {
    const kept = await madeOnce('chain-a', async (made) => {
      cpSync(await this.importChainA(), made, { recursive: true });
    });
    if (kept === undefined) return this.importChainA();
    const dataDir = this.folder();
    cpSync(kept, dataDir, { recursive: true });
    return dataDir;
  }

  private async importChainA(): Promise<string> {
    const dataDir = this.folder();
    const dump = join(this.folder(), 'chain-a.dump');
    writeChainADump(dump);
    const code = await this.run(dataDir, ['--import-blockchain', '--dump-file', dump]);
    if (code !== 0) throw new Error(`the import of chain A ended with code ${String(code)}`);
    return dataDir;
  }

  async stopAll(): Promise<void> {
    for (const other of this.others.splice(0).reverse()) await other.close();
    await Promise.all([...this.nodes].map((node) => node.stop()));
    this.nodes.clear();
    for (const folder of this.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

/** The command line of a test node: loopback, free ports, only the given peers. */
export function nodeArguments(network: NetworkName, dataDir: string, peers: readonly number[] = []): string[] {
  const exclusive = peers.length > 0 ? peers : [NOBODY];
  return [
    ...['--network', network, '--data-dir', dataDir, '--log-level', '0', '--log-file', ''],
    ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', '0', '--rpc-max-rpm', '0'],
    ...['--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0', '--no-console', '--no-zmq'],
    ...exclusive.flatMap((port) => ['--add-exclusive-node', `127.0.0.1:${String(port)}`]),
  ];
}

/** A running node of a suite. Waits for its events, never for a fixed time. */
export class SuiteNode<D extends WholeDaemon = WholeDaemon> extends TestNodeClient {
  private running = true;

  constructor(
    readonly daemon: D,
    readonly dataDir: string,
    private readonly network: NetworkName,
  ) {
    super(() => `http://127.0.0.1:${String(daemon.ports.rpc)}`);
  }

  get p2pPort(): number {
    return this.daemon.ports.p2p;
  }

  get height(): number {
    return this.daemon.parts.chain.tip().height;
  }

  get tip(): string {
    return this.daemon.parts.chain.tip().hash.toString('hex');
  }

  pool(): string[] {
    return this.daemon.parts.pool
      .hashes()
      .map((hash) => hash.toString('hex'))
      .sort();
  }

  /** Waits until this block is the tip. */
  untilTip(hash: string): Promise<void> {
    return until(
      this.daemon.parts.chain,
      ['commit'],
      () => this.tip === hash,
      () => `tip ${hash}, not ${this.tip}`,
    );
  }

  /** Waits until the pool has all of these transactions. */
  untilPool(hashes: readonly string[]): Promise<void> {
    const { pool } = this.daemon.parts;
    const missing = (): string[] => hashes.filter((hash) => !pool.has(Buffer.from(hash, 'hex')));
    return until(
      pool,
      ['added', 'removed'],
      () => missing().length === 0,
      () => `pool lacks ${missing().join(', ')}`,
    );
  }

  /** Waits until it has this number of connections. */
  untilConnections(count: number): Promise<void> {
    const { peers } = this.daemon.parts;
    const open = (): number => peers.connections().incoming + peers.connections().outgoing;
    return until(
      peers,
      ['connected', 'disconnected'],
      () => open() === count,
      () => `${open()} connections, not ${count}`,
    );
  }

  async stop(): Promise<void> {
    if (!this.running) return;
    this.running = false;
    await this.daemon.stop();
  }

  /** Stops it and reads the state digest. @throws Error for a damaged database */
  async digest(): Promise<string> {
    await this.stop();
    return digestOf(this.dataDir, this.network);
  }
}

/**
 * The state digest of the data folder of a stopped node. @throws Error if the database has a problem, or does not belong to a
 * full node
 */
export async function digestOf(dataDir: string, network: NetworkName = 'devnet'): Promise<string> {
  const directory = network === 'mainnet' ? dataDir : join(dataDir, network);
  const { problems, digest } = await verifyChain({ directory, network });
  if (problems.length > 0) throw new Error(problems.slice(0, 5).join('\n'));
  if (digest === undefined) throw new Error('only a full node has a state digest');
  return digest;
}

/** Waits until a condition holds; checks it after each of these events. */
async function until<Event extends string>(
  source: Watched<Event>,
  events: readonly Event[],
  holds: () => boolean,
  pending: () => string,
): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const event of events) source.off(event, look);
    };
    // A condition throws if its daemon was stopped: reject the promise, so that no later test fails.
    const orReject = (check: () => void): void => {
      try {
        check();
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const timer = setTimeout(() => {
      orReject(() => {
        throw new Error(`waited too long: ${pending()}`);
      });
    }, TIMEOUT_MS);
    const look = (): void => {
      orReject(() => {
        if (!holds()) return;
        end();
        resolve();
      });
    };
    for (const event of events) source.on(event, look);
  });
}
