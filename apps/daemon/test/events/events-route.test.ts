import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@wrkz/service-kit';
import { TestWallet, Suite, type SuiteNode } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { allEvents, type GivenPage, sentBlocks } from './support/events-client';
import { Replay } from './support/replay';
import { exercises } from '../support/exercises';

exercises('events-max-clients');

const suite = new Suite<Daemon>((args) => Daemon.create(readConfig(args), { logger: silentLogger() }), 'simnet');
const miner = new TestWallet('events').address;

afterAll(() => suite.stopAll());

const get = (node: SuiteNode, query: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${node.url}/events${query}`, init);
const page = async (node: SuiteNode, query: string): Promise<GivenPage> =>
  (await (await get(node, query)).json()) as GivenPage;
const stream = (node: SuiteNode, query: string, headers: Record<string, string> = {}): Promise<Response> =>
  get(node, query, { headers: { accept: 'text/event-stream', ...headers } });

/** Waits until the journal has an event for a block. */
async function untilJournaled(node: SuiteNode, hash: string, after: number): Promise<GivenPage> {
  for (let from = after; ;) {
    const found = await page(node, `?wait=20&topics=block&after=${String(from)}`);
    if (found.events.some(({ data }) => data['hash'] === hash)) return found;
    from = found.next;
  }
}

test('a waiting request receives a block when it is added', async () => {
  const node = await suite.node();
  const { latest, events } = await page(node, '');
  expect(events).toEqual([]);
  const waiting = page(node, `?wait=60&after=${String(latest)}`);
  const [hash] = await node.generate(miner);
  const { events: came, next } = await waiting;
  expect(came).toMatchObject([{ topic: 'block', number: latest + 1, data: { height: 1, hash } }]);
  expect(came[0]?.data['transaction_hashes']).toHaveLength(1);
  expect(next).toBe(latest + 1);
  expect((await page(node, '?after=0')).events).toEqual(came);
  expect(await page(node, `?after=${String(next)}`)).toMatchObject({ events: [], next });
  // A client that waits for another topic continues to wait, and gets its response in time.
  expect(await page(node, `?after=${String(latest)}&topics=tx&wait=1`)).toMatchObject({ events: [], next });
});

test('rejects sequence numbers of another journal, with the number to resume after', async () => {
  const node = await suite.node();
  const { latest, kept_after } = await page(node, '');
  for (const after of [1, latest + 1]) {
    const response = await get(node, `?after=${String(after)}`);
    expect([response.status, await response.json()]).toEqual([
      410,
      {
        status: 'Failed',
        error: `Events after ${after} are not kept. What is kept begins after ${kept_after}, the newest is ${latest}`,
        kept_after,
        latest,
      },
    ]);
  }
  expect((await stream(node, '?after=1')).status).toBe(410);
});

test('rejects an invalid number, an unknown topic and a duplicate parameter by name, without side effects', async () => {
  const node = await suite.node();
  const numbers = ['', '-1', '+1', '1e3', '0x10', '1.0', ' 1', 'NaN', '١', '%00', '%0d%0aX: y', '9007199254740992'];
  const hostile = [
    ...[...numbers, '9'.repeat(10_000)].map((value) => ['after', value]),
    ...['', '0', '1001', '-1', '9'.repeat(17), 'all'].map((value) => ['limit', value]),
    ...['', '-1', '61', '0.5', 'Infinity'].map((value) => ['wait', value]),
    ...['blocks', 'BLOCK', 'block%00', '__proto__', 'constructor', 'tx;block', 'x'.repeat(10_000)].map((value) => {
      return ['topics', value];
    }),
    ...['after', 'limit', 'wait', 'topics'].map((name) => [name, `1&${name}=2`]),
  ] as const;
  for (const [name = '', value = ''] of hostile) {
    const response = await get(node, `?${name}=${value}`);
    const text = await response.text();
    expect([name, value, response.status]).toEqual([name, value, 400]);
    expect(JSON.parse(text)).toMatchObject({ status: 'Failed', error: expect.any(String) });
    // The error does not repeat the whole parameter.
    expect(text.length).toBeLessThan(400);
  }
  for (const id of ['x', '-1', '1e3', '9'.repeat(1_000)]) {
    expect((await stream(node, '?after=0', { 'last-event-id': id })).status).toBe(400);
  }
  for (const query of ['?topics=,,', '?topics=block,block, tx', '?limit=1000&wait=0', '?%00=1']) {
    expect([query, (await get(node, query)).status]).toEqual([query, 200]);
  }
  expect((await get(node, '', { method: 'POST', body: '{}' })).status).toBe(404);
});

test('a stream sends blocks, and resumes after the last one when it was interrupted', async () => {
  const node = await suite.node();
  const first = await stream(node, '');
  expect(first.headers.get('content-type')).toBe('text/event-stream');
  const [one = '', two = '', three = ''] = await node.generate(miner, 3);
  const hashes: unknown[] = [];
  let last = '';
  for await (const block of sentBlocks(first)) {
    last = block.get('id') ?? last;
    if (!block.has('event')) continue;
    expect(block.get('event')).toBe('block');
    hashes.push((JSON.parse(block.get('data') ?? '') as { data: { hash: string } }).data.hash);
    if (hashes.length === 2) break;
  }
  expect(hashes).toEqual([one, two]);
  for await (const block of sentBlocks(await stream(node, '?after=0', { 'last-event-id': last }))) {
    if (!block.has('event')) continue;
    expect((JSON.parse(block.get('data') ?? '') as { data: { hash: string } }).data.hash).toBe(three);
    break;
  }
});

test('limits the waiting clients, and frees the slot of one that disconnects', async () => {
  const node = await suite.node({ args: ['--events-max-clients', '1'] });
  const leaving = new AbortController();
  const held = await get(node, '', { headers: { accept: 'text/event-stream' }, signal: leaving.signal });
  expect((await get(node, '?wait=60')).status).toBe(503);
  expect((await stream(node, '')).status).toBe(503);
  expect((await get(node, '')).status).toBe(200);
  leaving.abort();
  await held.text().catch(() => undefined);
  for (let status = 503; status !== 200;) ({ status } = await get(node, '?wait=1'));
});

test('a stop responds to waiting requests and ends the streams', async () => {
  const node = await suite.node();
  const { latest } = await page(node, '');
  const open = await stream(node, '');
  const waiting = page(node, `?wait=60&after=${String(latest)}`);
  while ((await page(node, '?wait=0')).latest !== latest);
  await node.stop();
  expect((await waiting).events).toEqual([]);
  const rest: unknown[] = [];
  for await (const block of sentBlocks(open)) if (block.has('event')) rest.push(block);
  expect(rest).toEqual([]);
});

test('after a restart the sequence numbers are higher, and events that an older journal copy lacks are read from the chain', async () => {
  const first = await suite.node();
  const begin = (await page(first, '')).latest;
  const [hash = ''] = (await first.generate(miner, 2)).slice(-1);
  const known = await untilJournaled(first, hash, begin);
  await first.stop();
  const older = suite.folder();
  cpSync(first.dataDir, older, { recursive: true });

  const second = await suite.node({ from: older });
  const [top = ''] = (await second.generate(miner, 3)).slice(-1);
  const later = await untilJournaled(second, top, known.next);
  expect(later.events[0]?.number).toBeGreaterThan(known.next);
  await second.stop();
  cpSync(join(older, 'simnet', 'events.sqlite'), join(second.dataDir, 'simnet', 'events.sqlite'));

  const third = await suite.node({ from: second.dataDir });
  await untilJournaled(third, top, known.next);
  const replay = new Replay();
  const all = await allEvents(third.url);
  replay.take(all.map(({ data, ...entry }) => ({ ...entry, topic: entry.topic as 'block', body: data })));
  expect(replay.chain.map(([height]) => height)).toEqual([1, 2, 3, 4, 5]);
  // Events of the lost journal are published again with higher numbers; a number of the lost journal is recognised as foreign.
  expect((await get(third, `?after=${String(later.next)}`)).status).toBe(410);
});
