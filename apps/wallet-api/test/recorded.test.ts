import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, Suite, type SuiteNode } from '@wrkz/testing';
import { differenceOf } from './support/differences';
import { comparable, type RecordedRow, recordedRows } from './support/recorded';
import { type Answer, PASSWORD, TestService } from './support/service';

jest.setTimeout(600_000);

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
let chain: string;

beforeAll(async () => {
  chain = await suite.chainA();
});

afterAll(() => suite.stopAll());

/** The port that the recorded requests mean when they say nothing. */
const RECORDED_PORT = 37856;

const WALLETS = [
  ...['alice', 'bob-view', 'carol', 'carol-nocoinbase', 'dave', 'erin'].map((name) => `${name}.wallet`),
  'yolanda.restored.wallet',
];

function prepare(service: TestService): void {
  for (const name of WALLETS) service.copyWallet(name);
  const alice = service.file('alice.wallet');
  service.file('not-a-wallet.bin', 'this is not a wallet file');
  service.file('empty.bin', '');
  service.file('truncated.bin', alice.subarray(0, 64 + 16 + Math.floor((alice.length - 80) / 2 / 16) * 16));
  service.file('identifier-only.bin', alice.subarray(0, 64));
  const flipped = Buffer.from(alice);
  flipped[5000] = (flipped[5000] ?? 0) ^ 1;
  service.file('flipped.bin', flipped);
}

/** A body as it is sent here, where the node has another port. */
function bodyOf({ body, rawBody, path, method }: RecordedRow, port: number): string | undefined {
  if (rawBody !== undefined) return rawBody;
  if (body === null || body === undefined) return undefined;
  const meansNode = /^\/wallet\/(open|create|import)|^\/node$/.test(path) && ['POST', 'PUT'].includes(method);
  const isObject = typeof body === 'object' && !Array.isArray(body);
  if (!meansNode || !isObject || Object.keys(body).length === 0) return JSON.stringify(body);
  const { daemonPort = RECORDED_PORT, ...rest } = body as { daemonPort?: unknown };
  return JSON.stringify({ ...rest, daemonPort: daemonPort === RECORDED_PORT ? port : daemonPort });
}

function found(row: RecordedRow, answer: Answer, port: number): unknown {
  const text = answer.text.replaceAll(`"daemonPort":${String(port)}`, `"daemonPort":${String(RECORDED_PORT)}`);
  return { status: answer.status, body: comparable(text, row.volatile) };
}

const opens = ({ method, path }: RecordedRow): boolean =>
  method === 'POST' && /^\/wallet\/(open|create|import)/.test(path);

/** Asks a session's requests one after the other; the rows that came out otherwise without a reason. */
async function replay(rows: readonly RecordedRow[], service: TestService, port: number): Promise<string[]> {
  const complaints: string[] = [];
  for (const row of rows) {
    if (/\/import\//.test(row.path)) rmSync(join(service.folder, 'n.wallet'), { force: true });
    const { 'X-API-KEY': named, ...headers } = row.headers;
    const key = named === 'right' ? PASSWORD : named === 'wrong' ? 'wrong' : '';
    const answer = await service.ask({ ...row, key, headers, body: bodyOf(row, port) });
    const ours = found(row, answer, port);
    const theirs = { status: row.status, body: comparable(row.method === 'HEAD' ? '' : row.response, row.volatile) };
    const isEqual = JSON.stringify(ours) === JSON.stringify(theirs);
    if (!isEqual && differenceOf(row.id) === undefined) {
      complaints.push(
        `${String(row.id)} ${row.method} ${row.path} ${JSON.stringify(ours).slice(0, 300)} instead of ${JSON.stringify(theirs).slice(0, 300)}`,
      );
    }
    if (answer.status < 300 && (opens(row) || row.path === '/reset' || row.path.startsWith('/addresses/import'))) {
      if (!/"daemonPort": ?1\b|no-such-host/.test(JSON.stringify(row.body))) await service.synced(CHAIN_A_HEIGHT);
    }
  }
  return complaints;
}

async function serve(): Promise<{ node: SuiteNode; service: TestService }> {
  const node = await suite.node({ from: chain });
  const service = await TestService.start(['--scan-coinbase-transactions']);
  prepare(service);
  return { node, service };
}

const rows = recordedRows();

test('keys, routes, wallets of every kind and their reads answer as recorded', async () => {
  const { node, service } = await serve();
  try {
    const asked = rows.filter(({ session }) => session === 'A');
    expect(await replay(asked, service, node.daemon.ports.rpc)).toEqual([]);
  } finally {
    await service.stop();
    await node.stop();
  }
});
