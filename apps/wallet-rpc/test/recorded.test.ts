import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, Suite, type SuiteNode } from '@wrkz/testing';
import { differenceOf, listedDifferences } from './support/differences';
import { bodyOf, comparable, type RecordedRow, recordings, withAddedMembers, withOwnHashes } from './support/recorded';
import { Folder, generate, TestService } from './support/service';

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const folder = new Folder();
const { start, rows } = recordings();
let chain: string;
let node: SuiteNode;

beforeAll(async () => {
  chain = await suite.chainA();
});

// Each wallet has its own node with a separate pool.
beforeEach(async () => {
  node = await suite.node({ from: chain });
});

afterEach(() => node.stop());

afterAll(async () => {
  await suite.stopAll();
  folder.remove();
});

/** Values of recorded responses that later requests repeat; they are replaced by values of our responses. */
class Renamed {
  private readonly ours = new Map<string, string>();

  learn(theirs: string, ours: string): void {
    const [left, right] = [valuesOf(theirs), valuesOf(ours)];
    if (left.length !== right.length) return;
    left.forEach((value, i) => this.ours.set(value, right[i] ?? ''));
  }

  apply(text: string): string {
    return text.replace(/[0-9a-f]{64}|Wrkz[1-9A-HJ-NP-Za-km-z]{94}/g, (value) => this.ours.get(value) ?? value);
  }
}

const valuesOf = (text: string): string[] =>
  [...text.matchAll(/"(?:transactionHash|address)":"(\w*)"/g)].map((m) => m[1] ?? '');

async function replay(rowsToReplay: readonly RecordedRow[], service: TestService): Promise<string[]> {
  const complaints: string[] = [];
  const renamed = new Renamed();
  for (const row of rowsToReplay) {
    const [method = 'POST', path = '/json_rpc'] = row.http ?? [];
    const sent = row.http?.[0] === 'GET' ? '' : renamed.apply(bodyOf(row));
    const reply = await service.request(sent, { method, path });
    const isMade =
      row.volatile.some((place) => /transactionHash$|address$/.test(place)) &&
      row.volatile.every((place) => !place.startsWith('params'));
    if (isMade) renamed.learn(row.response, reply.text);
    const ours = JSON.stringify({ status: reply.status, body: comparable(reply.text, row.volatile) });
    const theirs = JSON.stringify({
      status: row.status,
      body: comparable(withAddedMembers(row, withOwnHashes(renamed.apply(row.response))), row.volatile),
    });
    if (ours === theirs) {
      if (differenceOf(row.id) !== undefined) complaints.push(`${String(row.id)} is equal, though listed as different`);
    } else if (differenceOf(row.id) === undefined) {
      complaints.push(
        `${String(row.id)} ${String(row.method)} ${ours.slice(0, 400)} instead of ${theirs.slice(0, 400)}`,
      );
    }
    if (['reset', 'createAddress', 'createAddressList'].includes(row.method ?? '')) await ready(service);
    if (row.method === 'reset') await service.rpc.context.pool.poll();
  }
  return complaints;
}

const named = (wallet: string): RecordedRow[] => rows.filter((row) => row.wallet === wallet);

/** Waits until the wallet is synchronized and has the extras of its transactions. Requests wait for extras for only 5 s. */
async function ready(service: TestService): Promise<void> {
  await service.synced(CHAIN_A_HEIGHT);
  const { wallet, details } = service.rpc.context;
  await details.ensure(wallet.snapshot.content.transactions, 300_000);
}

async function serve(wallet: string, file: string, args: readonly string[] = []): Promise<TestService> {
  const { generate: made = [] } = start.startup.find((entry) => entry.wallet === wallet) ?? {};
  const password = made[made.indexOf('--container-password') + 1] ?? '';
  if (args.length === 0) await generate(folder.file(file), password, made.slice(5));
  const service = await TestService.start({
    file: folder.file(file),
    password,
    node: node.daemon.ports.rpc,
    args,
  });
  await ready(service);
  return service;
}

test('a wallet of a seed returns the recorded responses, without a password with --rpc-legacy-security', async () => {
  const service = await serve('alice', 'alice.container');
  try {
    const own = named('alice').filter(({ id }) => typeof id === 'number');
    expect(await replay(own, service)).toEqual([]);
  } finally {
    await service.stop();
  }
  const legacy = await serve('alice', 'alice.container', ['--rpc-legacy-security', '--enable-cors', '*']);
  try {
    expect(
      await replay(
        named('alice').filter(({ id }) => typeof id === 'string'),
        legacy,
      ),
    ).toEqual([]);
  } finally {
    await legacy.stop();
  }
});

test('a wallet of keys returns the recorded responses', async () => {
  const service = await serve('carol', 'carol.container');
  try {
    expect(await replay(named('carol'), service)).toEqual([]);
  } finally {
    await service.stop();
  }
});

test('a wallet whose addresses were deleted becomes a tracking wallet and returns the recorded responses', async () => {
  const service = await serve('carol', 'tracking.container');
  try {
    expect(await replay(named('carol, then tracking'), service)).toEqual([]);
  } finally {
    await service.stop();
  }
});

test('every listed difference is in the recorded rows', () => {
  const ids = new Set(rows.map(({ id }) => id));
  expect([...listedDifferences()].filter((id) => !ids.has(id))).toEqual([]);
  expect(rows).toHaveLength(517);
});
