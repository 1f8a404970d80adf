import { connect, type Socket } from 'node:net';
import { createMemoryLogger, createMetrics, type MemoryLogger, type Metrics } from '@wrkz/service-kit';
import { encodeAddress, type NetworkName } from '@wrkz/core-types';
import type { StratumNode } from '../../src/stratum/jobs';
import { type StratumOptions, StratumServer } from '../../src/stratum/server';
import { type HashFunction, ShareHasher } from '../../src/stratum/shares';
import { type NodeBench, nodeBench } from '../support/node';

/** Meets every difficulty. */
export const ZERO_HASH = Buffer.alloc(32);
/** Meets none but 0 and 1. */
export const WORST_HASH = Buffer.alloc(32, 0xff);

/** The messages of a server as JSON. */
export interface ServerMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: JobMessage;
  readonly error?: { readonly code: number; readonly message: string } | null;
  readonly result?: { readonly id?: string; readonly job?: JobMessage; readonly status?: string } & Partial<JobMessage>;
}

export interface JobMessage {
  readonly blob: string;
  readonly job_id: string;
  readonly target: string;
  readonly height: number;
  readonly algo: string;
}

/** A scripted connection of a miner. */
export class RawMiner {
  readonly closed: Promise<void>;
  readonly received: ServerMessage[] = [];
  private readonly socket: Socket;
  private text = '';
  private seen = 0;
  private wake = (): void => undefined;
  private over = false;

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port });
    this.socket.on('error', () => undefined);
    this.socket.on('data', (bytes: Buffer) => this.take(bytes.toString()));
    this.closed = new Promise((resolve) =>
      this.socket.once('close', () => {
        this.over = true;
        this.wake();
        resolve();
      }),
    );
  }

  raw(text: string | Buffer): void {
    this.socket.write(text);
  }

  send(message: object): void {
    this.raw(`${JSON.stringify(message)}\n`);
  }

  pause(): void {
    this.socket.pause();
  }

  leave(): void {
    this.socket.destroy();
  }

  /** The next unread message. @throws Error when the connection ends first */
  async next(): Promise<ServerMessage> {
    while (this.received.length === this.seen) {
      if (this.over) throw new Error('the server has closed the connection');
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return this.received[this.seen++]!;
  }

  /** The next message for which a condition holds; other messages are skipped. */
  async until(holds: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    for (;;) {
      const message = await this.next();
      if (holds(message)) return message;
    }
  }

  /** The response to a request; pushed jobs are skipped. */
  async request(method: string, params: object = {}, id: unknown = this.seen): Promise<ServerMessage> {
    this.send({ id, jsonrpc: '2.0', method, params });
    return this.until((message) => message.method === undefined);
  }

  /** Sends a request. @returns the text of its error */
  async refusal(method: string, params: object = {}): Promise<string | undefined> {
    const { error, result } = await this.request(method, params);
    expect(result ?? null).toBeNull();
    expect(error?.code).toBe(-1);
    return error?.message;
  }

  async login(address: string, more: object = {}): Promise<JobMessage> {
    const { result, error } = await this.request('login', { login: address, pass: 'x', agent: 'raw/1', ...more });
    if (result?.job === undefined) throw new Error(`no job: ${error?.message ?? ''}`);
    return result.job;
  }

  private take(text: string): void {
    this.text += text;
    const lines = this.text.split('\n');
    this.text = lines.pop() ?? '';
    this.received.push(...lines.map((line) => JSON.parse(line) as ServerMessage));
    this.wake();
  }
}

export interface StratumBench extends NodeBench {
  readonly server: StratumServer;
  readonly address: string;
  readonly logger: MemoryLogger;
  readonly metrics: Metrics;
  /** Monotonic milliseconds of the server. */
  readonly time: { now: number };
  /** Tests can change it at any time. */
  readonly state: { ready: boolean; compute: HashFunction };
  readonly node: StratumNode;
  connect(): RawMiner;
  /** Sends a part of a line, and waits until the server has read it. */
  untilRead(miner: RawMiner, text: string): Promise<void>;
  /** Waits until responses of a connection are buffered. */
  untilBlocked(): Promise<void>;
  /** Waits until no miner is connected. */
  untilGone(): Promise<void>;
  close(): Promise<void>;
}

/** Waits for a condition, which is checked in each iteration of the event loop. */
async function untilHolds(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

/** The sockets of the server. */
function serverSockets(server: StratumServer): Socket[] {
  return server.connections.map(
    (client) => (client as unknown as { connection: { socket: Socket } }).connection.socket,
  );
}

/** A server with engine, pool and miner on this thread; tests script the hashes of shares. */
export async function stratumBench(
  network: NetworkName,
  settings: Partial<StratumOptions> = {},
  change: Partial<StratumNode> = {},
): Promise<StratumBench> {
  const bench = nodeBench(network);
  const state = { ready: true, compute: (async () => ZERO_HASH) as HashFunction };
  const time = { now: 1_000_000 };
  const [logger, metrics] = [createMemoryLogger(), createMetrics('wrkz_')];
  const node: StratumNode = {
    tip: () => bench.engine.tip(),
    body: () => bench.miner.body(),
    complete: (...args) => bench.miner.complete(...args),
    add: (block) => bench.miner.add(block),
    isReady: () => state.ready,
    networkHeight: () => 100,
    onTip: (listener) => {
      bench.engine.on('commit', listener);
      return () => bench.engine.off('commit', listener);
    },
    ...change,
  };
  const server = new StratumServer(
    {
      host: '127.0.0.1',
      port: 0,
      shareDifficulty: { fixed: 0n, interval: 0 },
      maxConnections: 32,
      ...settings,
    },
    {
      node,
      logger,
      hasher: new ShareHasher(1, (algorithm, data) => state.compute(algorithm, data)),
      metrics,
      now: () => time.now,
    },
  );
  await server.start();
  const miners: RawMiner[] = [];
  return {
    ...bench,
    server,
    address: encodeAddress(bench.testWallet),
    logger,
    metrics,
    time,
    state,
    node,
    connect: () => {
      const miner = new RawMiner(server.port);
      miners.push(miner);
      return miner;
    },
    untilRead: async (miner, text) => {
      const sockets = serverSockets(server);
      const before = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
      miner.raw(text);
      await untilHolds(() => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0) >= before + text.length);
    },
    untilBlocked: () => untilHolds(() => serverSockets(server).some(({ writableNeedDrain }) => writableNeedDrain)),
    untilGone: () => untilHolds(() => server.connections.length === 0),
    close: async () => {
      for (const miner of miners) miner.leave();
      await server.stop();
      await bench.engine.stop();
    },
  };
}
