import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import { alsoVolatile, type Replayed } from './differences';
import { comparable, type RecordedRow } from './recorded';
import { type ServiceResponse, PASSWORD, type TestService } from './service';

/** The node port of the recorded requests, which they omit as the default. */
const RECORDED_PORT = 37856;

/** Files of a wallet that a recorded request creates. */
const NEW_WALLET_FILES = ['', '.previous', '.db', '.db-wal', '.db-shm', '.db-control'].map(
  (suffix) => `n.wallet${suffix}`,
);

const opens = ({ method, path }: RecordedRow): boolean =>
  method === 'POST' && /^\/wallet\/(open|create|import)/.test(path);

/** Whether a request starts a scan that must end before the next row, with an available node. */
const scans = (row: RecordedRow): boolean =>
  (opens(row) || row.path === '/reset' || row.path.startsWith('/addresses/import')) && row.group !== 'risky';

const hasUnreachableNode = ({ body = '' }: RecordedRow): boolean => /"daemonPort":1\b|no-such-host/.test(body);

/** Replays requests in order, each after the wallet is synchronized. */
export async function replay(
  rows: readonly RecordedRow[],
  service: TestService,
  nodePort: number,
): Promise<Replayed[]> {
  /** Random transaction hashes: recorded to ours. */
  const hashes = new Map<string, string>();
  let isOffline = false;
  const replayed: Replayed[] = [];
  for (const row of rows) {
    if (/\/import\//.test(row.path)) NEW_WALLET_FILES.forEach((name) => service.remove(name));
    const { 'X-API-KEY': named, ...headers } = row.headers;
    const key = { right: PASSWORD, wrong: 'wrong' }[named ?? ''] ?? '';
    const path = withHashes(row.path, hashes);
    const body = bodyOf(row, nodePort);
    const reply = await service.request({
      ...row,
      ...{ path, key, headers, body: body === undefined ? undefined : withHashes(body, hashes) },
    });
    replayed.push(compared(row, reply, nodePort, hashes));
    noteHash(row, reply, hashes);
    if (reply.status >= 300) continue;
    if (opens(row)) isOffline = hasUnreachableNode(row);
    if (scans(row) && !isOffline) await service.synced(CHAIN_A_HEIGHT);
  }
  return replayed;
}

const withHashes = (text: string, hashes: ReadonlyMap<string, string>): string =>
  text.replace(/[0-9a-f]{64}/gi, (hash) => {
    const ours = hashes.get(hash.toLowerCase());
    if (ours === undefined) return hash;
    return hash === hash.toLowerCase() ? ours : ours.toUpperCase();
  });

function noteHash({ response }: RecordedRow, { text }: ServiceResponse, hashes: Map<string, string>): void {
  const [theirs, ours] = [response, text].map((reply) => /"transactionHash": ?"([0-9a-f]{64})"/.exec(reply)?.[1]);
  if (theirs !== undefined && ours !== undefined) hashes.set(theirs, ours);
}

/** The body with the port of our node instead of the recorded one. */
function bodyOf({ body, path, method }: RecordedRow, port: number): string | undefined {
  const meansNode = /^\/wallet\/(open|create|import)|^\/node$/.test(path) && ['POST', 'PUT'].includes(method);
  if (body === undefined || !meansNode || !/^\{"/.test(body) || !body.endsWith('}')) return body;
  const ours = `"daemonPort":${String(port)}`;
  if (body.includes('"daemonPort"')) return body.replace(`"daemonPort":${String(RECORDED_PORT)}`, ours);
  return `${body.slice(0, -1)},${ours}}`;
}

function compared(
  row: RecordedRow,
  reply: ServiceResponse,
  port: number,
  hashes: ReadonlyMap<string, string>,
): Replayed {
  const text = reply.text.replaceAll(`"daemonPort":${String(port)}`, `"daemonPort":${String(RECORDED_PORT)}`);
  const volatile = [...row.volatile, ...alsoVolatile(row.id)];
  const response = row.method === 'HEAD' ? '' : withHashes(row.response, hashes);
  const headers = comparedHeaders(reply.headers);
  const ours = JSON.stringify({ status: reply.status, headers, body: comparable(text, volatile) });
  const theirs = JSON.stringify({
    status: row.status,
    headers: comparedHeaders(row.responseHeaders),
    body: comparable(response, volatile),
  });
  const code = /^\{"errorCode":(\d+)/.exec(reply.text)?.[1];
  return {
    row,
    brief: [reply.status, ...(code === undefined ? [] : [code])].join(' '),
    differs: ours === theirs ? undefined : `${ours.slice(0, 400)} instead of ${theirs.slice(0, 400)}`,
  };
}

/** Headers for comparison: without the length, which differs in compact JSON, and without our additional allowed header. */
function comparedHeaders(headers: ServiceResponse['headers']): Record<string, unknown> {
  const allowed = String(headers['access-control-allow-headers'] ?? '').replace(', Idempotency-Key', '');
  return {
    type: String(headers['content-type'] ?? '').split(';')[0],
    allow: headers['allow'],
    methods: headers['access-control-allow-methods'],
    origin: headers['access-control-allow-origin'],
    allowed,
  };
}
