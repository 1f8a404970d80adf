import { type ChildProcess, fork } from 'node:child_process';
import type { Server as TcpServer, Socket } from 'node:net';
import {
  type HttpServer,
  type LogEntry,
  type LogFields,
  type Logger,
  type RequestCounters,
  workerEntry,
} from '@wrkz/service-kit';
import type { DaemonConfig } from '../config/config';
import { SERVE_RPC_OPTIONS, type ServeRpcOptions } from './config';

/** From the node to a process. Each `listen` comes with an open listener of the node; `listener` is its index. */
export type ToProcess =
  | { readonly kind: 'setup'; readonly options: ServeRpcOptions; readonly webSocket: boolean }
  | { readonly kind: 'listen'; readonly listener: number }
  | { readonly kind: 'reload' }
  | { readonly kind: 'stop' };

/**
 * From a process to the node. `upgrade` comes with the connection, unless the client has closed it. `head` has the bytes that were
 * already read from the connection; `listener` is the index of its listener.
 */
export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'log'; readonly entry: LogEntry }
  | { readonly kind: 'upgrade'; readonly listener: number; readonly head: Uint8Array }
  | {
      readonly kind: 'counts';
      readonly requests: number;
      readonly compressed: number;
      readonly byStatus: [number, number][];
    };

const MIN_RESTART_MS = 1_000;
const MAX_RESTART_MS = 30_000;
/** A process that ran for longer than this is restarted immediately. */
const STABLE_MS = 60_000;
/** A process that has not ended after this time is killed. Longer than a stopping reader waits for its running requests. */
const STOP_MS = 5_000;

export interface RpcProcessesDependencies {
  readonly config: Pick<DaemonConfig, 'options' | 'network'>;
  /** The local socket of the node. */
  readonly socket: string;
  readonly http: Pick<HttpServer, 'servers'>;
  readonly counters: RequestCounters;
  readonly logger: Logger;
  /** Aborted when the node begins to stop. From then on a process that ends is not restarted. */
  readonly stopping: AbortSignal;
}

/**
 * Reader processes that share the RPC port with the node (`--rpc-processes`). The operating system gives each connection to one of
 * them or to the node. A process that ends is started again; meanwhile the others accept new connections.
 */
export class RpcProcesses {
  private readonly running = new Set<ChildProcess>();
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly dependencies: RpcProcessesDependencies) {}

  /** Starts the processes. @returns when each is ready or has ended once */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, i) => this.run(`rpc ${String(i + 1)}`, MIN_RESTART_MS)));
  }

  /** Ids of the running processes. */
  get pids(): number[] {
    return [...this.running].flatMap(({ pid }) => pid ?? []);
  }

  /** Each process reads its token file again. */
  reload(): void {
    for (const child of this.running) send(child, { kind: 'reload' });
  }

  /** Call it after `stopping` is aborted, or the processes are started again. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(
      [...this.running].map(async (child) => {
        const kill = setTimeout(() => {
          this.dependencies.logger.warning('an RPC process does not stop and is killed', { pid: child.pid });
          child.kill('SIGKILL');
        }, STOP_MS);
        const exited = new Promise((resolve) => child.once('exit', resolve));
        send(child, { kind: 'stop' });
        await exited;
        clearTimeout(kill);
      }),
    );
  }

  /** @param pause milliseconds before a restart, if the process ends within `STABLE_MS` */
  private run(name: string, pause: number): Promise<void> {
    const { config, socket, logger: parent, stopping } = this.dependencies;
    const logger = parent.child(name);
    const startedAt = performance.now();
    return new Promise((settled) => {
      const onEnd = (reason: LogFields): void => {
        settled();
        if (stopping.aborted) return;
        const isStable = performance.now() - startedAt > STABLE_MS;
        const delay = isStable ? 0 : pause;
        logger.warning('an RPC process has ended and is started again', { ...reason, delay });
        const timer = setTimeout(() => {
          this.timers.delete(timer);
          void this.run(name, isStable ? MIN_RESTART_MS : Math.min(pause * 2, MAX_RESTART_MS));
        }, delay);
        this.timers.add(timer);
      };
      let child: ChildProcess;
      try {
        child = startProcess();
      } catch (error) {
        return onEnd({ error });
      }
      this.running.add(child);
      child.on('message', (message: FromProcess, connection?: Socket) => {
        if (message.kind === 'ready') {
          this.listeners.forEach((server, listener) => send(child, { kind: 'listen', listener }, server));
          settled();
        } else this.receive(message, logger, connection);
      });
      child.on('error', (error) => {
        if (child.pid !== undefined) return logger.warning('an RPC process failed', { error });
        // The process could not be started, so no `exit` follows.
        this.running.delete(child);
        onEnd({ error });
      });
      child.once('exit', (code, signal) => {
        this.running.delete(child);
        onEnd({ code, signal });
      });
      send(child, {
        kind: 'setup',
        options: readerOptions(config, socket),
        webSocket: config.options['enable-websocket'],
      });
    });
  }

  private get listeners(): TcpServer[] {
    return this.dependencies.http.servers.filter((server) => typeof server.address() === 'object');
  }

  private receive(message: Exclude<FromProcess, { kind: 'ready' }>, logger: Logger, connection?: Socket): void {
    if (message.kind === 'log') {
      const { level, message: text, part, fields } = message.entry;
      return (part === '' ? logger : logger.child(part))[level](text, fields);
    }
    if (message.kind === 'counts') {
      const { counters } = this.dependencies;
      counters.requests += message.requests;
      counters.compressed += message.compressed;
      for (const [status, count] of message.byStatus) counters.byStatus.set(status, counters.count(status) + count);
      return;
    }
    if (connection === undefined) return;
    // The node parses the request again, as if it had accepted the connection.
    connection.unshift(Buffer.from(message.head));
    this.listeners[message.listener]?.emit('connection', connection);
  }
}

/** @throws an error of the operating system, such as too little memory; later failures are events of the process */
function startProcess(): ChildProcess {
  const { path, execArgv } = workerEntry(__dirname, 'rpc-process');
  return fork(path, [], { execArgv, serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Sends nothing to a process that has just ended: its `exit` event follows. */
function send(child: ChildProcess, message: ToProcess, listener?: TcpServer): void {
  if (child.connected) child.send(message, listener, () => undefined);
}

/** The node's values of the options that readers also have. A reader opens no log file and no local socket. */
function readerOptions({ options, network }: RpcProcessesDependencies['config'], socket: string): ServeRpcOptions {
  const names = new Set<string>(SERVE_RPC_OPTIONS.map(({ name }) => name));
  const shared = Object.fromEntries(Object.entries(options).filter(([name]) => names.has(name)));
  return {
    ...shared,
    network: network.name === 'simnet' ? 'mainnet' : network.name,
    simnet: network.name === 'simnet',
    'node-socket': socket,
    'node-access-token': '', // not used: a reader of the node sends its RPC token
    'node-timeout': 30,
    'rpc-ipc-path': '',
    'log-file': '',
  } as ServeRpcOptions;
}
