import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, openChainDb, verifyChain, type VerifyReport } from '../src';
import { connectForReading } from '../src/connection';
import { LowerRows } from '../src/repair/lower-rows';
import { PAGE_SIZE } from '../src/schema';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { pagesByTable } from './support/flips';
import { makeChain } from './support/maker';
import { pruneTo } from './support/modes';
import { killRepairs } from './support/repair-kills';
import { copyOf, findings, flip, noPeer, peerWith, repair } from './support/repairs';

afterAll(cleanUp);

const plan = (salt: number) => ({
  salt,
  transactions: [
    { amounts: [7, 900], inputs: 2, unlockTime: 60n },
    { amounts: [7], inputs: 1, paymentId: salt % 3 },
  ],
});
const genesis = chainA().slice(0, 1);
const blocks = [
  ...genesis,
  ...makeChain(
    Array.from({ length: 25 }, (_, i) => plan(i)),
    genesis,
  ),
];
const alternatives = makeChain([plan(50), plan(51)], blocks.slice(0, 24));

type Mode = 'full' | 'pruned' | 'lite';
const modes = new Map<Mode, Promise<{ directory: string; sound: VerifyReport; pages: Map<string, number[]> }>>();

/** A closed database of 26 blocks and 2 beside them; made once. */
function made(mode: Mode): NonNullable<ReturnType<typeof modes.get>> {
  const known = modes.get(mode) ?? make(mode);
  modes.set(mode, known);
  return known;
}

async function make(mode: Mode): ReturnType<typeof made> {
  const db = openHere({ directory: freshDirectory(), lite: mode === 'lite' ? 12 : undefined });
  writerOf(db).append(blocks);
  for (const block of alternatives) writerOf(db).putAlternative(block);
  if (mode === 'pruned') pruneTo(db, 15);
  const sound = await verifyChain(db);
  db.close();
  return { directory: db.directory, sound, pages: pagesByTable(db.directory) };
}

/** Bits in the first cells of a page, which stand at its end, and where its header is. */
const CELLS = PAGE_SIZE * 8 - 333;
const HEADER = 8 * 3 + 1;

/** A copy with one bit the other way round in the last page of a table. */
async function damaged(mode: Mode, table: string, bit: number): Promise<{ copy: string; sound: VerifyReport }> {
  const { directory, sound, pages } = await made(mode);
  const copy = copyOf(directory);
  flip(copy, ((pages.get(table) ?? []).at(-1)! - 1) * PAGE_SIZE * 8 + bit);
  expect((await findings(copy)).problems).not.toEqual([]);
  return { copy, sound };
}

const after = (directory: string): Promise<VerifyReport> => verifyChain({ directory, network: 'devnet' });

test.each<[Mode, string, number]>([
  ['full', 'hash_pages', CELLS],
  ['full', 'outputs', CELLS],
  ['full', 'blocks', CELLS],
  ['full', 'key_images', HEADER],
  ['pruned', 'amounts', CELLS],
  ['pruned', 'outputs', HEADER],
  ['lite', 'hash_pages', CELLS],
  ['lite', 'sqlite_autoindex_amounts_1', CELLS],
])('a %s database with a flipped bit in %s needs no peer', async (mode, table, bit) => {
  const { copy, sound } = await damaged(mode, table, bit);
  const before = readFileSync(databaseFile(copy));
  const report = await repair(copy, noPeer);
  expect(report).toMatchObject({ outcome: 'repaired', height: 25, fetched: 0, dropped: 0 });
  expect(await after(copy)).toEqual(sound);
  // The damaged file is kept as it was, and nothing of the work is left.
  expect(readFileSync(databaseFile(join(copy, 'damaged'))).equals(before)).toBe(true);
  expect(readdirSync(copy).filter((name) => !name.startsWith('chain.'))).toEqual(['damaged']);
  expect(await repair(copy, noPeer)).toEqual({ outcome: 'sound', height: 25 });
});

test.each<[Mode, string, number]>([
  ['full', 'signatures', CELLS],
  ['full', 'transactions', CELLS],
  ['pruned', 'blocks', CELLS - 4000],
  ['pruned', 'blocks', HEADER],
  ['lite', 'outputs', CELLS],
  ['lite', 'key_images', CELLS],
  ['lite', 'blocks', HEADER],
])('a %s database with a flipped bit in %s has blocks fetched', async (mode, table, bit) => {
  const { copy, sound } = await damaged(mode, table, bit);
  const untouched = readFileSync(databaseFile(copy));
  expect(await repair(copy, noPeer)).toMatchObject({ outcome: 'missing', fetched: 0 });
  expect(readFileSync(databaseFile(copy)).equals(untouched)).toBe(true);
  expect(await repair(copy, peerWith(blocks).fetch)).toMatchObject({ outcome: 'repaired' });
  const { height, problems, rulesDigest } = await after(copy);
  expect(problems).toEqual([]);
  expect({ height, rulesDigest }).toEqual({ height: sound.height, rulesDigest: sound.rulesDigest });
});

test.each([
  ['the magic text', 0],
  ['the page size', 16],
  ['the number of pages', 31],
  ['the list of empty pages', 35],
  ['the highest root page', 55],
  ['the application id', 71],
  ['the root of the schema', 100],
  ['the map of pages', PAGE_SIZE + 2],
])('%s is told and mended', async (_, byte) => {
  const { directory, sound } = await made('full');
  const copy = copyOf(directory);
  flip(copy, byte * 8 + 3);
  expect((await findings(copy)).problems).not.toEqual([]);
  expect(await repair(copy, noPeer)).toMatchObject({ outcome: 'repaired', fetched: 0 });
  expect(await after(copy)).toEqual(sound);
});

test('what was fetched is kept for the next try, and a stranger gives nothing', async () => {
  const { copy, sound } = await damaged('full', 'transactions', HEADER);
  const first = await repair(copy, noPeer);
  if (first.outcome !== 'missing') throw new Error(first.outcome);
  expect(first.missing.length).toBeGreaterThan(1);
  const [lowest = 0, ...others] = first.missing;
  const liar = peerWith(blocks);
  const wrong = await repair(copy, async (wanted) =>
    (await liar.fetch(wanted)).map(({ id, raw }) => ({ id, raw: { ...raw, transactions: raw.transactions.slice(1) } })),
  );
  expect(wrong).toMatchObject({ outcome: 'missing', missing: first.missing });
  const half = await repair(copy, peerWith(blocks.filter(({ facts }) => facts.height !== lowest)).fetch);
  expect(half).toMatchObject({ outcome: 'missing', missing: [lowest], fetched: others.length });
  const peer = peerWith(blocks);
  expect(await repair(copy, peer.fetch)).toMatchObject({ outcome: 'repaired', fetched: 1 });
  expect(peer.asked).toEqual([lowest]);
  expect(await after(copy)).toEqual(sound);
});

test('it is ended by its signal, and the next one goes on', async () => {
  const { copy, sound } = await damaged('full', 'outputs', CELLS);
  const stop = new AbortController();
  const ended = repair(copy, noPeer, {
    signal: stop.signal,
    onProgress: (step) => step === 'verify new' && stop.abort(new Error('enough')),
  });
  await expect(ended).rejects.toThrow('enough');
  expect(existsSync(join(copy, 'repair'))).toBe(true);
  expect((await findings(copy)).problems).not.toEqual([]);
  expect(await repair(copy, noPeer)).toMatchObject({ outcome: 'repaired' });
  expect(await after(copy)).toEqual(sound);
});

test('a start finishes a swap that was cut short at any of its steps', async () => {
  const { directory, sound } = await made('full');
  for (let step = 0; step < 4; step++) {
    const place = copyOf(directory);
    const folder = join(place, 'repair');
    mkdirSync(folder);
    writeFileSync(databaseFile(folder), readFileSync(databaseFile(directory)));
    flip(place, (PAGE_SIZE + 2) * 8);
    writeFileSync(`${databaseFile(place)}-wal`, '');
    writeFileSync(join(folder, 'ready'), 'damaged\n');
    if (step > 0) mkdirSync(join(place, 'damaged'));
    if (step > 1) renameSync(`${databaseFile(place)}-wal`, `${databaseFile(join(place, 'damaged'))}-wal`);
    if (step > 2) renameSync(databaseFile(place), databaseFile(join(place, 'damaged')));
    openChainDb({ directory: place, network: 'devnet', readonly: true }).close();
    expect(await after(place)).toEqual(sound);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(join(place, 'damaged')).sort()).toEqual(['chain.sqlite', 'chain.sqlite-wal']);
  }
});

test('the look below a lite height gives others their turn, and ends with it', async () => {
  const { directory } = await made('lite');
  const connection = connectForReading(copyOf(directory));
  let given = 0;
  const look = (most: number): Promise<Set<number>> =>
    new LowerRows(connection, 12).damaged({
      turn: () => (++given > most ? Promise.reject(new Error('enough')) : Promise.resolve()),
    });
  expect([...(await look(Infinity))]).toEqual([]);
  // Two tables by SQLite, and the rows of each amount and of the images.
  const all = given;
  expect(all).toBeGreaterThan(4);
  given = 0;
  await expect(look(all - 1)).rejects.toThrow('enough');
  connection.close();
});

test('a note of a swap that names no free folder loses no file', async () => {
  const { directory, sound } = await made('full');
  for (const note of ['', '.', '../elsewhere', 'damaged', 'repair']) {
    const place = join(freshDirectory(), 'chain');
    const folder = join(place, 'repair');
    mkdirSync(folder, { recursive: true });
    mkdirSync(join(place, 'damaged'));
    writeFileSync(databaseFile(join(place, 'damaged')), 'of an earlier repair');
    writeFileSync(databaseFile(place), 'damaged now');
    writeFileSync(databaseFile(folder), readFileSync(databaseFile(directory)));
    writeFileSync(join(folder, 'ready'), note);
    openChainDb({ directory: place, network: 'devnet', readonly: true }).close();
    expect(await after(place)).toEqual(sound);
    expect(readdirSync(join(place, '..'))).toEqual(['chain']);
    const kept = ['damaged', 'damaged-2'].map((name) => readFileSync(databaseFile(join(place, name)), 'utf8'));
    expect(kept).toEqual(['of an earlier repair', 'damaged now']);
  }
});

test('killed at some moments, it goes on or begins anew', async () => {
  const db = openHere({ directory: freshDirectory() });
  writerOf(db).append(chainA().slice(0, 150));
  db.close();
  const page = (pagesByTable(db.directory).get('transactions') ?? []).at(-1)!;
  await killRepairs(db.directory, (page - 1) * PAGE_SIZE * 8 + CELLS, [5, 9]);
}, 120_000);
