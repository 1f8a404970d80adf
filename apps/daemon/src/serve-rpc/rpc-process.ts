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

const INTERVAL_MS = 1_000;
const NODE_PID = process.ppid;

let reader: ServeRpc | undefined;
let hasWebSocket = false;

function send(message: FromProcess, connection?: Socket, onSent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, connection, {}, onSent);
}

/**
 * Passes a connection to the node. Node.js passes connections one after the other, so the socket belongs to this process until the
 * callback, and the client may close it meanwhile.
 */
function sendUpgrade(listener: number): UpgradeListener {
  return (request, duplex, head) => {
    const socket = duplex as Socket & { server?: unknown };
    socket.on('error', () => undefined);
    socket.setTimeout(0);
    // Otherwise this server would count the connection, and could not close, until the node closes it.
    socket.server = undefined;
    const message: FromProcess = { kind: 'upgrade', listener, head: Buffer.concat([requestHead(request), head]) };
    send(message, socket, () => socket.destroy());
  };
}

async function start({ options, webSocket }: Extract<ToProcess, { kind: 'setup' }>): Promise<void> {
  const level = parseLogLevel(options['log-level'], NODE_LOG_SCALE) ?? 'warning';
  const logger = forwardingLogger(level, sendEntry);
  const counters = new RequestCounters();
  hasWebSocket = webSocket;
  setInterval(() => {
    sendCounts(counters);
    // `disconnect` is not emitted if the node is killed while connections wait to be passed to it.
    if (process.ppid !== NODE_PID) process.exit();
  }, INTERVAL_MS).unref();
  // The node has already logged the warnings.
  const config = { ...serveRpcConfig(options, { warnings: [], secrets: [] }), warnings: [] };
  const control = { requestStop: (code = 0) => void stop(code) };
  reader = new ServeRpc(config, { logger, control, ofNode: { counters } });
  await reader.start();
  send({ kind: 'ready' });
}

/** @param listener undefined if this process has no file descriptor left for it */
async function share(index: number, listener?: TcpServer): Promise<void> {
  if (listener === undefined) throw new Error('the listener of the node was not received');
  await reader?.share(listener, hasWebSocket ? sendUpgrade(index) : undefined);
}

function sendEntry(entry: LogEntry): void {
  try {
    send({ kind: 'log', entry });
  } catch {
    // A field cannot be cloned: the entry is sent without its fields.
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
  else if (message.kind === 'listen') share(message.listener, listener).catch(fail);
  else if (message.kind === 'reload') void reload();
  else void stop(0);
});
process.on('disconnect', () => process.exit());
// A terminal sends its signals to the whole group; the node decides when this process ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('SIGTERM', () => void stop(0));
