import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { CorruptDatabase, databaseFile, openChainDb, type PageLocation, verifyChain } from '@wrkz/chain-db';
import { createMemoryLogger, createMetrics } from '@wrkz/service-kit';
import { Suite } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { DamageWatch } from '../../src/damage/damage-watch';
import type { DamageEvent, NodeEvent } from '../../src/events/node-events';
import { Scrub } from '../../src/upkeep/scrub';
import { exercises } from '../support/exercises';
import { consoleAt } from './console-at';

exercises('scrub-hours');

const STEPS_PER_HOUR = 14_400;

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: createMemoryLogger('info') }));
afterAll(() => suite.stopAll());

function scrubOf(pages: number, hours: number, bad = new Map<number, PageLocation>(), isRepairable = false) {
  const read: number[] = [];
  const logger = createMemoryLogger('info');
  const damage = new DamageWatch(logger);
  const reader = {
    fileSpace: () => ({ pageSize: 4096, pages, emptyPages: 0 }),
    firstBadPage: (first: number, count: number) => {
      for (let page = first; page < first + count; page++) {
        read.push(page);
        if (bad.has(page)) return page;
      }
      return undefined;
    },
    pageLocation: (page: number) => bad.get(page),
  };
  const events: Omit<DamageEvent, 'kind'>[] = [];
  const dependencies = {
    reader,
    damage,
    events: { publishDamage: (event: Omit<DamageEvent, 'kind'>) => void events.push(event) },
    repair: (page: number) => Promise.resolve(isRepairable && bad.delete(page)),
    log: (line: string) => logger.info(line),
    random: () => 0.4,
  };
  return { scrub: new Scrub(dependencies, hours), reader, read, bad, logger, damage, events };
}

test('reads each page once in the hours of the option, from a random page on', () => {
  const { scrub, read } = scrubOf(36_000, 2);
  // A busy machine may leave pages of one step to the next.
  for (let step = 0; (scrub.status?.passes ?? 0) < 2 && step < 8 * STEPS_PER_HOUR; step++) scrub.step();
  expect(read[0]).toBe(14_401);
  expect(new Set(read.slice(0, 36_000)).size).toBe(36_000);
  expect(Math.max(...read)).toBe(36_000);
  expect(read.length).toBe(2 * 36_000);
});

test('reads no page more or less when the system clock is set back or forward', async () => {
  jest.useFakeTimers();
  try {
    const { scrub, read } = scrubOf(14_400, 1);
    scrub.start();
    for (const stepHours of [-5, 0, 10, -1000]) {
      jest.setSystemTime(Date.now() + stepHours * 3_600_000);
      await jest.advanceTimersByTimeAsync(900_000);
    }
    scrub.stop();
    expect(read.length).toBe(14_400);
    expect(scrub.status?.passes).toBe(1);
  } finally {
    jest.useRealTimers();
  }
});

const location = (table: string, isBlockData: boolean): PageLocation => ({
  owner: { table, treePage: 7, overflow: undefined, rows: undefined },
  heights: isBlockData ? [100, 120] : undefined,
  source: isBlockData ? 'blocks' : undefined,
});

test('reports a damaged page once with its table, and no longer when it is intact again', async () => {
  const { scrub, bad, logger, damage, events } = scrubOf(10, 1, new Map([[7, location('outputs', false)]]));
  const metrics = createMetrics('wrkz_');
  scrub.publish(metrics);
  for (let step = 0; step < STEPS_PER_HOUR + 1; step++) scrub.step();
  await setImmediate();
  expect([...(scrub.status?.damaged ?? [])]).toEqual([[7, 'page 7 of outputs']]);
  expect(await metrics.registry.metrics()).toMatch(/^wrkz_scrub_damaged_pages 1$/m);
  expect(damage.total).toBe(1);
  expect(logger.lines.join('\n')).toMatch(/damaged: page 7 of outputs does not fit its checksum.*--repair/);
  expect(events).toEqual([{ page: 7, table: 'outputs', heights: undefined, isRepaired: false }]);
  bad.clear();
  for (let step = 0; step < STEPS_PER_HOUR; step++) scrub.step();
  expect(scrub.status?.damaged.size).toBe(0);
});

test('reports a page immediately, repairs it with the bytes of blocks, and publishes that', async () => {
  const { scrub, logger, damage, events } = scrubOf(10, 1, new Map([[7, location('block_bodies', true)]]), true);
  for (let step = 0; step < STEPS_PER_HOUR + 1; step++) scrub.step();
  // The repair may wait for peers: the page is reported before.
  const event = { page: 7, table: 'block_bodies', heights: [100, 120] };
  expect(damage.total).toBe(1);
  expect(logger.lines.join('\n')).toMatch(/page 7 of block_bodies \(blocks 100 to 120\) does not fit its checksum/);
  expect(events).toEqual([{ ...event, isRepaired: false }]);
  await setImmediate();
  expect(scrub.status?.damaged.size).toBe(0);
  expect(damage.total).toBe(1);
  expect(logger.lines.join('\n')).toMatch(
    /page 7 of block_bodies \(blocks 100 to 120\) of the database did not fit its checksum and was repaired/,
  );
  expect(events).toEqual([
    { ...event, isRepaired: false },
    { ...event, isRepaired: true },
  ]);
});

test('tries a repair that failed again in the next pass, and reports the page once before', async () => {
  const { scrub, bad, events } = scrubOf(10, 1, new Map([[7, location('block_bodies', true)]]), true);
  const failing = jest.spyOn(bad, 'delete').mockReturnValue(false);
  for (let pass = 0; pass < 2; pass++) {
    for (let step = 0; step < STEPS_PER_HOUR + 1; step++) scrub.step();
    await setImmediate();
  }
  expect(events).toEqual([{ page: 7, table: 'block_bodies', heights: [100, 120], isRepaired: false }]);
  failing.mockRestore();
  for (let step = 0; step < STEPS_PER_HOUR + 1; step++) scrub.step();
  await setImmediate();
  expect(events.map(({ isRepaired }) => isRepaired)).toEqual([false, true]);
  expect(scrub.status?.damaged.size).toBe(0);
});

test('status and metrics do not fail while the header of the file is damaged', async () => {
  const { scrub, reader, damage } = scrubOf(10, 1);
  const metrics = createMetrics('wrkz_');
  scrub.publish(metrics);
  reader.fileSpace = () => {
    throw new CorruptDatabase('page 1 does not fit its checksum');
  };
  scrub.step();
  expect(damage.total).toBe(1);
  expect(scrub.status).toEqual({ passes: 0, damaged: new Map() });
  expect(await metrics.registry.metrics()).toMatch(/^wrkz_scrub_passes_total 0$/m);
});

test('a running node repairs a damaged body from a peer, and the events name it', async () => {
  const peer = await suite.node({ from: await suite.chainA() });
  const node = await suite.node({ from: await suite.chainA() });
  const directory = `${node.dataDir}/devnet`;
  await node.stop();
  const bytes = readFileSync(databaseFile(directory));
  const at = bytes.indexOf(bodyBytes(directory));
  const sound = Buffer.from(bytes);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(databaseFile(directory), bytes);
  const damaged = await suite.node({ from: node.dataDir, peers: [peer.p2pPort], args: ['--scrub-hours', '1'] });
  const { events, scrub } = damaged.daemon.parts;
  const repaired = new Promise<NodeEvent>((resolve) =>
    events?.subscribe((event) => {
      if (event.kind === 'damage' && event.isRepaired) resolve(event);
    }),
  );
  for (let step = 0; step < STEPS_PER_HOUR; step++) scrub?.step();
  const page = Math.floor(at / 8192) + 1;
  expect(await repaired).toMatchObject({ page, table: 'block_bodies', isRepaired: true });
  await damaged.stop();
  const after = `${damaged.dataDir}/devnet`;
  expect(readFileSync(databaseFile(after)).subarray(at, at + 60)).toEqual(sound.subarray(at, at + 60));
  const { problems } = await verifyChain({ directory: after, network: 'devnet' });
  expect(problems).toEqual([]);
});

test('db_status reports the results of the scrub, or that it is off', async () => {
  for (const [hours, text] of [
    ['24', 'Scrub: no damage, 0 passes since the start\n'],
    ['0', 'Scrub: off\n'],
  ] as const) {
    const socket = `${suite.folder()}/node.sock`;
    const node = await suite.node({ args: ['--rpc-ipc-path', socket, '--scrub-hours', hours] });
    expect(await consoleAt(socket)('db_status')).toContain(text);
    await node.stop();
  }
});

function openForReading(directory: string) {
  const db = openChainDb({ directory, network: 'devnet', readonly: true });
  return { reader: db.reader, close: () => db.close() };
}

/** The first bytes of a block, which only its body has. */
function bodyBytes(directory: string): Buffer {
  const { reader, close } = openForReading(directory);
  const { block } = reader.rawBlock(300) ?? { block: Buffer.alloc(0) };
  close();
  return block.subarray(0, 60);
}
