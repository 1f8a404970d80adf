import { readFileSync, writeFileSync } from 'node:fs';
import { databaseFile, openChainDb } from '@wrkz/chain-db';
import { createMemoryLogger, createMetrics } from '@wrkz/service-kit';
import { Suite } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { DamageWatch } from '../../src/damage/damage-watch';
import { Scrub } from '../../src/upkeep/scrub';
import { exercises } from '../support/exercises';
import { consoleAt } from './console-at';

exercises('scrub-hours');
jest.setTimeout(120_000);

const STEPS_PER_HOUR = 14_400;

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: createMemoryLogger('info') }));
afterAll(() => suite.stopAll());

function scrubOf(pages: number, hours: number, bad = new Map<number, string>()) {
  const read: number[] = [];
  const logger = createMemoryLogger('error');
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
    tableOfPage: (page: number) => bad.get(page),
  };
  return { scrub: new Scrub({ reader, damage, random: () => 0.4 }, hours), read, bad, logger, damage };
}

test('reads each page once in the hours of the option, from a random page on', () => {
  const { scrub, read } = scrubOf(36_000, 2);
  for (let step = 0; step < 2 * STEPS_PER_HOUR; step++) scrub.step();
  expect(read[0]).toBe(14_401);
  expect(new Set(read.slice(0, 36_000)).size).toBe(36_000);
  expect(Math.max(...read)).toBe(36_000);
  expect(read.length).toBeLessThan(2 * 36_000);
  expect(scrub.status).toMatchObject({ passes: 2 });
});

test('reports a damaged page once with its table, and forgets it when it is sound again', () => {
  const { scrub, bad, logger, damage } = scrubOf(10, 1, new Map([[7, 'outputs']]));
  const metrics = createMetrics('wrkz_');
  scrub.publish(metrics);
  for (let step = 0; step < 30; step++) scrub.step();
  expect(scrub.status?.damaged).toEqual(new Map([[7, 'outputs']]));
  expect(damage.total).toBe(1);
  expect(logger.lines.join('\n')).toMatch(/damaged: page 7 of outputs does not fit its checksum.*--repair/);
  bad.clear();
  for (let step = 0; step < 10; step++) scrub.step();
  expect(scrub.status?.damaged.size).toBe(0);
});

test('finds a flipped bit of the chain database and names its table', async () => {
  const node = await suite.node({ from: await suite.chainA() });
  const directory = `${node.dataDir}/devnet`;
  await node.stop();
  const bytes = readFileSync(databaseFile(directory));
  const at = bytes.indexOf(Buffer.from(chainBytes(directory)));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(databaseFile(directory), bytes);
  const { reader, close } = openForReading(directory);
  const logger = createMemoryLogger('error');
  const scrub = new Scrub({ reader, damage: new DamageWatch(logger) }, 1);
  const { pages, pageSize } = reader.fileSpace();
  for (let step = 0; step < pages; step++) scrub.step();
  close();
  expect([...(scrub.status?.damaged ?? [])]).toEqual([[Math.floor(at / pageSize) + 1, 'block_bodies']]);
});

test('db_status says what the scrub has found, or that it is off', async () => {
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
function chainBytes(directory: string): Buffer {
  const { reader, close } = openForReading(directory);
  const { block } = reader.rawBlock(300) ?? { block: Buffer.alloc(0) };
  close();
  return block.subarray(0, 60);
}
