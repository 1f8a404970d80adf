import type { IncomingMessage } from 'node:http';
import type { Server as TcpServer, Socket } from 'node:net';
import {
  errorText,
  forwardingLogger,
  type LogEntry,
  NODE_LOG_SCALE,
  parseLogLevel,
  RequestCounters,
  requestHead,
  type UpgradeListener,
} from '@wrkz/service-kit';
import { serveRpcConfig } from './config';
import type { FromProcess, ToProcess } from './processes';
import { ServeRpc } from './serve-rpc';

/* A reader process of the node (RpcProcesses). It ends with the node, whose listeners it shares. */

const COUNTS_INTERVAL_MS = 1_000;

let reader: ServeRpc | undefined;

function send(message: FromProcess, connection?: Socket): void {
  if (process.connected) process.send?.(message, connection, {}, () => undefined);
}

const sendUpgrade: UpgradeListener = (request: IncomingMessage, socket, head) => {
  send({ kind: 'upgrade', head: Buffer.concat([requestHead(request), head]) }, socket as Socket);
};

async function start({ options, webSocket }: Extract<ToProcess, { kind: 'setup' }>): Promise<void> {
  const level = parseLogLevel(options['log-level'], NODE_LOG_SCALE) ?? 'warning';
  const logger = forwardingLogger(level, sendEntry);
  const counters = new RequestCounters();
  setInterval(() => sendCounts(counters), COUNTS_INTERVAL_MS).unref();
  // The node has reported the warnings.
  const config = { ...serveRpcConfig(options, { warnings: [], secrets: [] }), warnings: [] };
  const control = { requestStop: (code = 0) => void stop(code) };
  reader = new ServeRpc(config, {
    logger,
    control,
    ofNode: { counters, upgrade: webSocket ? sendUpgrade : undefined },
  });
  await reader.start();
  send({ kind: 'ready' });
}

function sendEntry(entry: LogEntry): void {
  try {
    send({ kind: 'log', entry });
  } catch {
    // A field that cannot be cloned.
    send({ kind: 'log', entry: { ...entry, fields: undefined } });
  }
}

function sendCounts(counters: RequestCounters): void {
  if (counters.requests === 0) return;
  const { requests, compressed, byStatus } = counters;
  send({ kind: 'counts', requests, compressed, byStatus: [...byStatus] });
  counters.requests = 0;
  counters.compressed = 0;
  counters.byStatus.clear();
}

async function stop(code: number): Promise<void> {
  await reader?.stop().catch(() => undefined);
  process.exit(code);
}

async function reload(): Promise<void> {
  for (const { name, run } of reader?.reload ?? []) {
    try {
      await run();
    } catch (error) {
      reader?.logger.error(`${name}: ${errorText(error)}`);
    }
  }
}

function fail(error: unknown): void {
  send({ kind: 'log', entry: { time: new Date(), level: 'error', part: '', message: errorText(error) } });
  process.exitCode = 1;
  process.disconnect();
}

process.on('message', (message: ToProcess, listener?: TcpServer) => {
  if (message.kind === 'setup') start(message).catch(fail);
  else if (message.kind === 'listen') reader?.share(listener as TcpServer).catch(fail);
  else if (message.kind === 'reload') void reload();
  else void stop(0);
});
process.on('disconnect', () => process.exit());
// A terminal sends its signals to the whole group; the node decides when this process ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('SIGTERM', () => void stop(0));
