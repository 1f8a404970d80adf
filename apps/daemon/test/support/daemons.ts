import { Writable } from 'node:stream';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { temporaryDirectory } from './temporary';

/** A whole daemon of this process, with its RPC at hand. */
export interface RunningDaemon {
  readonly daemon: Daemon;
  readonly directory: string;
  readonly logger: MemoryLogger;
  readonly p2pPort: number;
  get<T>(path: string): Promise<T>;
  /** The result of a JSON-RPC call. @throws Error with the error's message */
  call<T>(method: string, params?: object): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  stop(): Promise<void>;
}

const running = new Set<RunningDaemon>();

/** Stops what a test left running. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((one) => one.stop()));
}

afterAll(stopAll);

export interface DaemonSetup {
  readonly network?: 'devnet' | 'simnet';
  readonly directory?: string;
  /** Connects to these, by their P2P ports, and to nobody else. */
  readonly peers?: readonly number[];
  readonly p2pPort?: number;
  readonly options?: readonly string[];
}

/** Starts a daemon on loopback with free ports. Without peers it dials nobody. */
export async function startDaemon(setup: DaemonSetup = {}): Promise<RunningDaemon> {
  const { network = 'devnet', directory = temporaryDirectory(), peers = [], p2pPort = 0, options = [] } = setup;
  const config = readConfig([
    ...['--network', network, '--data-dir', directory, '--log-file', ''],
    ...['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', String(p2pPort), '--rpc-max-rpm', '0'],
    ...peers.flatMap((port) => ['--add-exclusive-node', `127.0.0.1:${String(port)}`]),
    ...options,
  ]);
  const logger = createMemoryLogger();
  const daemon = Daemon.create(config, { logger, stream: nowhere() });
  await daemon.start();
  const base = `http://127.0.0.1:${String(daemon.ports.rpc)}`;
  const post = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(base + path, { method: 'POST', body: JSON.stringify(body) });
    return (await response.json()) as T;
  };
  const one: RunningDaemon = {
    daemon,
    directory,
    logger,
    p2pPort: daemon.ports.p2p,
    get: async <T>(path: string) => (await (await fetch(base + path)).json()) as T,
    post,
    call: async <T>(method: string, params: object = {}) => {
      const answer = await post<{ result?: T; error?: { message: string } }>('/json_rpc', {
        jsonrpc: '2.0',
        id: '1',
        method,
        params,
      });
      if (answer.result === undefined) throw new Error(answer.error?.message ?? 'no result');
      return answer.result;
    },
    stop: async () => {
      running.delete(one);
      await daemon.stop();
    },
  };
  running.add(one);
  return one;
}

function nowhere(): NodeJS.WriteStream {
  return new Writable({ write: (_chunk, _encoding, done) => done() }) as unknown as NodeJS.WriteStream;
}

/** The hash of a daemon's top block. */
export async function topOf({ get }: RunningDaemon): Promise<string> {
  return (await get<{ top_block_hash: string }>('/info')).top_block_hash;
}

/** Looks until `look` tells true; there is no event to wait for across an HTTP door. */
export async function until(look: () => Promise<boolean>, what: string, seconds = 30): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`waited ${String(seconds)} s in vain: ${what}`);
    await new Promise((again) => setTimeout(again, 50));
  }
}

