import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryLogger, FeedGap, type HookEvent, type HookSpec, NotificationHooks } from '../../src';
import { untilEnded, untilLines } from '../support/processes';
import { WebhookReceiver } from '../support/receiver';
import { FakeFeed, numbered } from './fake-feed';

let folder: string;
let receiver: WebhookReceiver;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-hooks-'));
  receiver = await new WebhookReceiver().open();
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const backOff = { firstMs: 5, maxMs: 20, refusals: 3 };

async function start(hooks: HookSpec[], more: { secretFile?: string; queue?: number; deliveryMs?: number } = {}) {
  const logger = createMemoryLogger();
  const started = await NotificationHooks.start({ hooks, logger, directory: folder, backOff, ...more });
  open.push(started);
  return { hooks: started, logger };
}

/** A received event may not be counted yet. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

const event = (height: number): HookEvent => ({
  event: 'block',
  placeholders: { s: 'aa', h: String(height) },
  fields: { height, hash: 'aa' },
});
const heights = (bodies: readonly { body: string }[]): number[] =>
  bodies.map(({ body }) => (JSON.parse(body) as { height: number }).height);

describe('a live receiver', () => {
  it('gets its events in order, one at a time, and the body as documented', async () => {
    let running = 0;
    let most = 0;
    receiver.respond = (_request, response) => {
      most = Math.max(most, (running += 1));
      setImmediate(() => {
        running -= 1;
        response.writeHead(200).end();
      });
    };
    const { hooks } = await start([{ name: 'block-notify', values: [receiver.url] }]);
    for (let i = 1; i <= 50; i++) hooks.notify('block-notify', event(i));
    hooks.notify('other', event(99));
    await receiver.until(({ length }) => length === 50);
    expect(heights(receiver.received)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(most).toBe(1);
    expect(receiver.received[0]?.body).toBe('{"event":"block","height":1,"hash":"aa"}');
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(50);
  });

  it('drops the newest events if its queue is full, counts and logs them, and a stop ends its processes', async () => {
    const pids = join(folder, 'pids');
    const hang = `sh -c 'echo $$ >> "$0"; sleep 600' ${pids}`;
    const { hooks, logger } = await start([{ name: 'block-notify', values: [hang, receiver.url] }]);
    for (let i = 0; i < 5000; i++) hooks.notify('block-notify', event(i));
    const [pid = 0] = (await untilLines(pids, 1)).map(Number);
    // One is being delivered, 1,024 are queued.
    expect(hooks.states[0]).toMatchObject({ receiver: 'sh with 3 argument(s)', delivered: 0, dropped: 5000 - 1025 });
    const full = '[block-notify 1] queue full (1024), dropping notifications. Dropped so far:';
    expect(logger.linesOf('warning').filter((line) => line.includes(full))).toEqual(
      [1, 1000, 2000, 3000].map((count) => expect.stringMatching(new RegExp(`${String(count)}$`))),
    );
    await receiver.until(({ length }) => length === 100); // The other receiver is not delayed.
    expect(heights(receiver.received.slice(0, 100))).toEqual(Array.from({ length: 100 }, (_, i) => i));
    await hooks.close();
    await untilEnded(pid);
    expect(logger.lines.join('\n')).toContain('[block-notify 1] stopped. Sent=0, failed=0, dropped=3975');
  });

  it('is notified once of each event, and its failures are logged at a limited rate', async () => {
    receiver.respond = (_request, response) => response.writeHead(receiver.received.length <= 150 ? 500 : 200).end();
    const { hooks, logger } = await start([{ name: 'tx-notify', values: [receiver.url] }]);
    for (let i = 1; i <= 151; i++) hooks.notify('tx-notify', event(i));
    await receiver.until(({ length }) => length === 151);
    await until(() => hooks.states[0]?.delivered === 1);
    await hooks.close();
    expect(hooks.states).toEqual([expect.objectContaining({ delivered: 1, failed: 150, dropped: 0 })]);
    const lines = logger.entries.filter(({ level }) => level === 'warning').map(({ message }) => message);
    const why = `[tx-notify] webhook ${new URL(receiver.url).origin} answered HTTP 500`;
    expect(lines).toEqual([why, `${why} (100 failures in a row)`]);
    expect(logger.lines.join('\n')).toContain('delivering again after 150 failed notification(s)');
  });
});

describe('values', () => {
  it('that are invalid are warnings, and empty ones are ignored', async () => {
    const { hooks, logger } = await start([
      { name: 'block-notify', values: ['', '  '] },
      { name: 'tx-notify', values: ['http://', "''"] },
    ]);
    expect(hooks.has('tx-notify')).toBe(false);
    expect(logger.entries.filter(({ level }) => level === 'warning').map(({ message }) => message)).toEqual([
      '[tx-notify 1] invalid webhook URL; notifier disabled',
      '[tx-notify 2] empty command; notifier disabled',
      'No usable notification hook configured. Continuing without notifications.',
    ]);
    expect((await start([{ name: 'block-notify', values: [] }])).logger.lines).toEqual([]);
  });

  it('have no secrets in logs', async () => {
    const secret = 'a secret of thirty-two bytes....';
    const secretFile = join(folder, 'secret');
    writeFileSync(secretFile, secret, { mode: 0o644 });
    const url = `${receiver.url}?token=tttt`;
    const { hooks, logger } = await start([{ name: 'tx-notify', values: [url, 'false tttt'] }], { secretFile });
    hooks.notify('tx-notify', event(1));
    await receiver.until(({ length }) => length === 1);
    expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,/);
    await hooks.close();
    logger.info(secret);
    expect(logger.lines.join('\n')).not.toMatch(/tttt|thirty-two/);
    expect(logger.linesOf('warning')[0]).toContain('can be read by others');
    await expect(start([], { secretFile: join(folder, 'none') })).rejects.toThrow(/cannot be used/);
  });
});

describe('a durable receiver', () => {
  /** The files of the hooks, without temporary ones. */
  const files = (): string[] => readdirSync(join(folder, 'notify')).filter((name) => !name.endsWith('.tmp'));

  it('starts with the next event, and resumes at its position', async () => {
    const feed = new FakeFeed(3);
    const spec = { name: 'block-notify', values: [receiver.url], feed };
    const first = await start([spec]);
    expect(first.hooks.has('block-notify')).toBe(false);
    feed.add(2);
    await until(() => first.hooks.states[0]?.delivered === 2);
    await first.hooks.close();
    feed.add(3); // Not delivered while the hooks are closed.
    await start([spec]);
    // At-least-once delivery: on a stalled machine a delivery may time out and be repeated.
    const receivedHeights = (): unknown[] => [...new Set(heights(receiver.received))];
    await receiver.until(() => receivedHeights().length === 5);
    expect(receivedHeights()).toEqual([4, 5, 6, 7, 8]);
    expect(files()).toEqual([expect.stringMatching(/^block-notify-[0-9a-f]{16}\.json$/)]);
  });

  it('waits for an unreachable receiver, then delivers all events in order', async () => {
    const feed = new FakeFeed();
    await start([{ name: 'block-notify', values: [receiver.url], feed }]);
    feed.add(20);
    await receiver.until(({ length }) => length >= 5);
    for (let round = 0; round < 3; round++) {
      await receiver.close();
      feed.add(50);
      await receiver.open();
      await receiver.until((all) => heights(all).includes(20 + 50 * (round + 1) - 10));
    }
    await receiver.until((all) => heights(all).includes(170));
    expect(numbered(receiver.received)).toEqual(Array.from({ length: 170 }, (_, i) => i + 1));
  });

  it('writes an event that is always refused to the dead-letter file, and continues', async () => {
    const feed = new FakeFeed();
    receiver.respond = ({ body }, response) => response.writeHead(body.includes('"height":2,') ? 422 : 200).end();
    const { hooks, logger } = await start([{ name: 'block-notify', values: [receiver.url], feed }]);
    feed.add(3);
    await receiver.until((all) => heights(all).includes(3));
    expect(heights(receiver.received)).toEqual([1, 2, 2, 2, 3]);
    const list = files().find((name) => name.endsWith('.dead.jsonl')) ?? '';
    const letters = readFileSync(join(folder, 'notify', list), 'utf8')
      .trim()
      .split('\n');
    expect(letters.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ number: 2, event: 'block', height: 2, hash: 'aa', why: expect.stringMatching(/422$/) }),
    ]);
    expect(hooks.states[0]).toMatchObject({ dead: 1 });
    expect(logger.linesOf('warning').at(-1)).toContain('entry 2 was refused 3 times and is in');
  });

  it('logs deleted events, and continues after them', async () => {
    const feed = new FakeFeed();
    const spec = { name: 'block-notify', values: [receiver.url], feed };
    const first = await start([spec]);
    feed.add(1);
    await until(() => first.hooks.states[0]?.delivered === 1);
    await first.hooks.close();
    feed.add(9);
    feed.dropUpTo(6);
    const { logger } = await start([spec]);
    await receiver.until(({ length }) => length === 5);
    expect(heights(receiver.received)).toEqual([1, 7, 8, 9, 10]);
    expect(logger.linesOf('warning')[0]).toContain('no longer has entries 2 to 6');
    expect(new FeedGap(6).resumeAfter).toBe(6);
  });

  it('skips entries of other hooks, and starts over with a new journal', async () => {
    const feed = new FakeFeed();
    const spec = { name: 'block-notify', values: [receiver.url], feed };
    const first = await start([spec]);
    feed.add(2);
    feed.addOther(500);
    feed.add(1);
    await until(() => first.hooks.states[0]?.delivered === 3);
    await first.hooks.close();
    receiver.received.length = 0;
    const { logger } = await start([{ ...spec, feed: new FakeFeed(2) }]);
    await receiver.until(({ length }) => length === 2);
    expect(logger.linesOf('warning')[0]).toContain('the journal was replaced');
  });

  it('fails on an unreadable position instead of skipping events', async () => {
    const feed = new FakeFeed();
    const spec = { name: 'block-notify', values: [receiver.url], feed };
    await (await start([spec])).hooks.close();
    const [name = ''] = files();
    writeFileSync(join(folder, 'notify', name), '{"position":-1}');
    await expect(start([spec])).rejects.toThrow(/remove it to start with new events/);
    expect(existsSync(join(folder, 'notify', name))).toBe(true);
  });
});
