import { IncompleteFiles, SqliteConnection } from '@wrkz/sqlite';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { blocksOfPage, type ChainDb, databaseFile, openChainDb, verifyChain, type VerifyReport } from '../src';
import { PAGE_SIZE } from '../src/schema';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { leaveEmptyPages } from './support/bulk';
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
/** A closed database that tests copy, with its verification and its pages by table. */
interface Made {
  readonly directory: string;
  readonly sound: VerifyReport;
  readonly pages: Map<string, number[]>;
}
const databases = new Map<string, Promise<Made>>();

/** Creates each database once. */
function once(name: string, create: () => ChainDb): Promise<Made> {
  const known = databases.get(name) ?? close(create());
  databases.set(name, known);
  return known;
}

async function close(db: ChainDb): Promise<Made> {
  const sound = await verifyChain(db);
  db.close();
  return { directory: db.directory, sound, pages: pagesByTable(db.directory) };
}

/** 26 blocks and 2 alternatives. */
const made = (mode: Mode): Promise<Made> =>
  once(mode, () => {
    const db = openHere({ directory: freshDirectory(), lite: mode === 'lite' ? 12 : undefined });
    writerOf(db).append(blocks);
    for (const block of alternatives) writerOf(db).putAlternative(block);
    if (mode === 'pruned') pruneTo(db, 15);
    return db;
  });

const madeOfChainA = (count: number): Promise<Made> =>
  once(`chain A to ${String(count)}`, () => {
    const db = openHere({ directory: freshDirectory() });
    writerOf(db).append(chainA().slice(0, count));
    return db;
  });

/** A bit of the first cells of a page, which are at its end, and a bit of its header. */
const CELLS = PAGE_SIZE * 8 - 333;
const HEADER = 8 * 3 + 1;

/** A copy with a flipped bit in the last page of a table. */
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
  ['full', 'hash_pages', CELLS],
  ['full', 'sqlite_autoindex_amounts_1', CELLS],
  ['full', 'meta', CELLS],
  ['full', 'alternatives', CELLS],
])('a %s database with a flipped bit in %s is rebuilt without a peer', async (mode, table, bit) => {
  const { copy, sound } = await damaged(mode, table, bit);
  const before = readFileSync(databaseFile(copy));
  const report = await repair(copy, noPeer);
  expect(report).toMatchObject({ outcome: 'rebuilt', height: 25, fetched: 0, dropped: 0 });
  expect(await after(copy)).toEqual(sound);
  // The damaged file is retained unchanged, and no work file is left.
  expect(readFileSync(databaseFile(join(copy, 'damaged'))).equals(before)).toBe(true);
  expect(readdirSync(copy).filter((name) => !name.startsWith('chain.'))).toEqual(['damaged']);
  expect(await repair(copy, noPeer)).toEqual({ outcome: 'sound', height: 25 });
});

describe.each<Mode>(['full', 'pruned', 'lite'])('in a %s database a damaged page with the bytes of blocks', (mode) => {
  test.each([
    [
      'one flipped bit in its cells',
      (bytes: Buffer) => void (bytes[PAGE_SIZE - 50] = (bytes[PAGE_SIZE - 50] ?? 0) ^ 4),
    ],
    ['one flipped bit in its header', (bytes: Buffer) => void (bytes[3] = (bytes[3] ?? 0) ^ 2)],
    ['a torn sector', (bytes: Buffer) => void bytes.fill(0x5a, 4096, 8192)],
    ['another content', (bytes: Buffer) => void bytes.fill(0xa5)],
  ])('with %s is rewritten from a peer with the same bytes of its rows', async (_, damage) => {
    const { directory, sound, pages } = await made(mode);
    for (const table of ['block_bodies', 'signatures', 'transactions']) {
      for (const page of pages.get(table) ?? []) {
        const copy = copyOf(directory);
        const file = readFileSync(databaseFile(copy));
        damage(file.subarray((page - 1) * PAGE_SIZE, page * PAGE_SIZE));
        writeFileSync(databaseFile(copy), file);
        const { problems } = await findings(copy);
        expect(problems).toEqual([expect.stringMatching(new RegExp(`^page ${String(page)} of ${table} `))]);
        const report = await repair(copy, peerWith(blocks).fetch);
        expect({ table, page, report }).toMatchObject({ report: { outcome: 'pages repaired', pages: 1, height: 25 } });
        expect(await after(copy)).toEqual(sound);
        expect(readdirSync(copy).filter((name) => !name.startsWith('chain.'))).toEqual([]);
      }
    }
  });
});

test('a page is not written from a wrong block, nor if a peer lacks one', async () => {
  const { directory, sound, pages } = await made('full');
  const copy = copyOf(directory);
  flip(copy, (pages.get('block_bodies') ?? []).at(-1)! * PAGE_SIZE * 8 - 333);
  const before = readFileSync(databaseFile(copy));
  expect(await repair(copy, noPeer)).toMatchObject({ outcome: 'missing', fetched: 0 });
  const dishonest = peerWith(blocks);
  const wrong = await repair(copy, async (wanted) =>
    (await dishonest.fetch(wanted)).map(({ id, raw }) => ({
      id,
      raw: { ...raw, transactions: raw.transactions.slice(1) },
    })),
  );
  expect(wrong).toMatchObject({ outcome: 'missing', fetched: 0 });
  expect(readFileSync(databaseFile(copy)).equals(before)).toBe(true);
  expect(await repair(copy, peerWith(blocks).fetch)).toMatchObject({ outcome: 'pages repaired' });
  expect(await after(copy)).toEqual(sound);
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
])('a flipped bit in %s is repaired', async (_, byte) => {
  const { directory, sound } = await made('full');
  const copy = copyOf(directory);
  flip(copy, byte * 8 + 3);
  expect((await findings(copy)).problems).not.toEqual([]);
  const outcome = byte < PAGE_SIZE ? 'pages repaired' : 'rebuilt';
  expect(await repair(copy, noPeer)).toMatchObject({ outcome, fetched: 0 });
  expect(await after(copy)).toEqual(sound);
});

describe('the write-ahead log of a killed daemon', () => {
  /** A database whose first blocks are in the file, and all others in the log. One body in the file is damaged. */
  async function killed(): Promise<{ copy: string; sound: VerifyReport; log: string }> {
    const first = openHere();
    writerOf(first).append(chainA().slice(0, 150));
    first.close();
    const db = openHere({ directory: first.directory });
    for (const block of chainA().slice(150, 160)) writerOf(db).append([block]);
    const copy = copyOf(first.directory);
    db.close();
    const sound = await verifyChain(db);
    // The log has no copy of this page.
    flip(copy, (pagesByTable(first.directory).get('signatures') ?? [])[1]! * PAGE_SIZE * 8 - 333);
    return { copy, sound, log: `${databaseFile(copy)}-wal` };
  }

  test('is copied into the file before a page is repaired, and the database opens', async () => {
    const { copy, sound } = await killed();
    expect(await repair(copy, peerWith(chainA()).fetch)).toMatchObject({
      outcome: 'pages repaired',
      pages: 1,
      height: 159,
    });
    openHere({ directory: copy }).close();
    expect(await after(copy)).toEqual(sound);
  });

  test.each([
    ['lacks commits', (log: string) => writeFileSync(log, readFileSync(log).subarray(0, -5_000))],
    ['is missing', (log: string) => rmSync(log)],
    [
      'belongs to another database',
      (log: string) => {
        const other = openHere();
        writerOf(other).append(chainA().slice(0, 3));
        copyFileSync(`${databaseFile(other.directory)}-wal`, log);
        other.close();
      },
    ],
  ])('that %s is rejected, and no file changes', async (_, change) => {
    const { copy, log } = await killed();
    change(log);
    const files = () => ['', '-wal', '-control'].map((suffix) => `${databaseFile(copy)}${suffix}`).filter(existsSync);
    const before = files().map((file) => [file, readFileSync(file)]);
    await expect(repair(copy, peerWith(chainA()).fetch)).rejects.toThrow(IncompleteFiles);
    expect(files().map((file) => [file, readFileSync(file)])).toEqual(before);
  });
});

test('a damaged inner page above a damaged leaf is rebuilt from the blocks', async () => {
  const { directory, sound, pages } = await madeOfChainA(150);
  const copy = copyOf(directory);
  const [root = 0, leaf = 0] = pages.get('transactions') ?? [];
  for (const page of [root, leaf]) flip(copy, (page - 1) * PAGE_SIZE * 8 + CELLS);
  const report = await repair(copy, peerWith(chainA()).fetch);
  expect(report).toMatchObject({ outcome: 'rebuilt', dropped: 0 });
  expect(await after(copy)).toEqual(sound);
});

test.each(['transactions', 'blocks', 'key_images', 'outputs'])('a damaged root of %s is repaired', async (table) => {
  // Each of these tables has inner pages.
  const { directory, sound, pages } = await madeOfChainA(400);
  const copy = copyOf(directory);
  const [root = 0] = pages.get(table) ?? [];
  flip(copy, (root - 1) * PAGE_SIZE * 8 + CELLS);
  const { outcome } = await repair(copy, noPeer);
  // The other tables have row ids.
  expect(outcome).toBe(table === 'outputs' ? 'rebuilt' : 'pages repaired');
  expect(await after(copy)).toEqual(sound);
});

test('a page is not written while one of its blocks is missing', async () => {
  const { directory, pages } = await made('full');
  const copy = copyOf(directory);
  const page = (pages.get('block_bodies') ?? []).at(-1)!;
  flip(copy, page * PAGE_SIZE * 8 - 333);
  const db = openHere({ directory: copy });
  const wanted = blocksOfPage(db.reader, page) ?? [];
  const all = wanted.map(({ height }) => {
    const { block, transactions } = blocks[height]!;
    return { height, raw: { block: block.bytes, transactions: transactions.map(({ bytes }) => bytes) } };
  });
  const [first, ...others] = all;
  db.cutLog();
  expect(writerOf(db).repairPage(page, others)).toBe(false);
  expect(writerOf(db).repairPage(page, [...others, { ...others[0]!, height: first!.height }])).toBe(false);
  expect(writerOf(db).repairPage(page, all)).toBe(true);
  db.close();
});

test('a pruned database fetches no block below its floor', async () => {
  const { copy, sound } = await damaged('pruned', 'block_bodies', CELLS);
  const peer = peerWith(blocks);
  expect(await repair(copy, peer.fetch)).toMatchObject({ outcome: 'pages repaired' });
  expect(peer.requested.filter((height) => height > 0 && height < 15)).toEqual([]);
  expect(await after(copy)).toEqual(sound);
});

test.each(['pruned', 'lite'] as const)('page 1 of a %s database is repaired', async (mode) => {
  const { directory, sound } = await made(mode);
  const copy = copyOf(directory);
  flip(copy, 8 * 40);
  expect(await repair(copy, noPeer)).toEqual({ outcome: 'pages repaired', pages: 1, fetched: 0, height: 25 });
  expect(await after(copy)).toEqual(sound);
  expect(existsSync(join(copy, 'repair'))).toBe(false);
  openHere({ directory: copy, lite: mode === 'lite' ? 12 : undefined }).close();
});

test('a file that reserves no bytes for checksums, which no connection opens, is repaired', async () => {
  const { directory, sound } = await made('full');
  const copy = copyOf(directory);
  flip(copy, 8 * 20 + 3);
  const problems: string[] = [];
  const onDamage = (found: readonly string[]): void => void problems.push(...found);
  expect(await repair(copy, noPeer, { onDamage })).toMatchObject({ outcome: 'pages repaired', pages: 1 });
  expect(problems).toEqual([expect.stringContaining('page 1 reserves 0 bytes instead of 8')]);
  expect(await after(copy)).toEqual(sound);
});

describe.each<Mode>(['full', 'pruned', 'lite'])('a damaged free page of a %s database', (mode) => {
  /** A copy with free pages. `free` are their numbers in the list of SQLite: the first one is a trunk, which has the others. */
  async function withFreePages(): Promise<{ copy: string; sound: VerifyReport; free: number[] }> {
    const copy = copyOf((await made(mode)).directory);
    const db = openHere({ directory: copy, lite: mode === 'lite' ? 12 : undefined });
    leaveEmptyPages(db, 1024 * 1024);
    const sound = await verifyChain(db);
    db.close();
    const file = readFileSync(databaseFile(copy));
    const trunk = file.readUInt32BE(32);
    const at = (trunk - 1) * PAGE_SIZE;
    const leaves = Array.from({ length: file.readUInt32BE(at + 4) }, (_, i) => file.readUInt32BE(at + 8 + 4 * i));
    expect(leaves.length).toBeGreaterThan(20);
    return { copy, sound, free: [trunk, ...leaves] };
  }

  test('is rewritten if it is a leaf of the list', async () => {
    const { copy, sound, free } = await withFreePages();
    const pages = [free[1]!, free.at(-1)!].sort((a, b) => a - b);
    for (const page of pages) flip(copy, (page - 1) * PAGE_SIZE * 8 + CELLS);
    const { problems } = await findings(copy);
    expect(problems).toEqual(pages.map((page) => `page ${page} of the free list does not fit its checksum`));
    expect(await repair(copy, noPeer)).toEqual({ outcome: 'pages repaired', pages: 2, fetched: 0, height: 25 });
    expect(await after(copy)).toEqual(sound);
    openHere({ directory: copy, lite: mode === 'lite' ? 12 : undefined }).close();
  });

  test('needs another repair if it is a trunk of the list', async () => {
    const { copy, sound, free } = await withFreePages();
    flip(copy, (free[0]! - 1) * PAGE_SIZE * 8 + CELLS);
    if (mode === 'full') {
      expect(await repair(copy, noPeer)).toMatchObject({ outcome: 'rebuilt' });
      expect(await after(copy)).toEqual(sound);
    } else {
      await expect(repair(copy, noPeer)).rejects.toThrow(/Put a backup in its place, import a snapshot .* --resync/);
    }
  });
});

test.each<Mode>(['full', 'pruned'])(
  'page 1 of a %s database and a page of bodies are repaired together',
  async (mode) => {
    const { copy, sound } = await damaged(mode, 'block_bodies', CELLS);
    flip(copy, 8 * 40);
    const report = await repair(copy, peerWith(blocks).fetch);
    expect(report).toMatchObject({ outcome: 'pages repaired', pages: 2, height: 25 });
    expect(await after(copy)).toEqual(sound);
    expect(existsSync(join(copy, 'repair'))).toBe(false);
  },
);

test('page 1 is unchanged if the database cannot be repaired', async () => {
  const { copy } = await damaged('pruned', 'outputs', CELLS);
  flip(copy, 8 * 40);
  const before = readFileSync(databaseFile(copy));
  await expect(repair(copy, noPeer)).rejects.toThrow('a pruned database does not store all blocks');
  expect(readFileSync(databaseFile(copy)).equals(before)).toBe(true);
});

test('a rebuild rejects a wrong block, and the next repair continues at the missing block', async () => {
  const { copy, sound } = await damaged('full', 'transactions', HEADER);
  // Damage of another table too: the page alone would be repaired in place.
  flip(copy, ((await made('full')).pages.get('outputs') ?? []).at(-1)! * PAGE_SIZE * 8 - 333);
  const first = await repair(copy, noPeer);
  if (first.outcome !== 'missing') throw new Error(first.outcome);
  expect(first.missing.length).toBeGreaterThan(3);
  const [lowest = 0] = first.missing;
  const dishonest = peerWith(blocks);
  const wrong = await repair(copy, async (wanted) =>
    (await dishonest.fetch(wanted)).map(({ id, raw }) => ({
      id,
      raw: { ...raw, transactions: raw.transactions.slice(1) },
    })),
  );
  expect(wrong).toMatchObject({ outcome: 'missing', missing: first.missing, fetched: 0 });
  const lacking = lowest + 2;
  const part = await repair(copy, peerWith(blocks.filter(({ facts }) => facts.height !== lacking)).fetch);
  expect(part).toMatchObject({ outcome: 'missing', missing: [lacking] });
  const peer = peerWith(blocks);
  expect(await repair(copy, peer.fetch)).toMatchObject({ outcome: 'rebuilt' });
  expect(Math.min(...peer.requested)).toBe(lacking);
  expect(await after(copy)).toEqual(sound);
});

test('the ids of a gap follow from the block above it if no row has them', async () => {
  const { directory, sound, pages } = await made('full');
  const copy = copyOf(directory);
  for (const table of ['blocks', 'transactions'])
    flip(copy, ((pages.get(table) ?? []).at(-1)! - 1) * PAGE_SIZE * 8 + CELLS);
  const report = await repair(copy, peerWith(blocks).fetch);
  expect(report).toMatchObject({ outcome: 'rebuilt' });
  const { height, problems } = await after(copy);
  expect(problems).toEqual([]);
  // Blocks at the top whose ids are unknown are downloaded by the next synchronisation.
  expect(report).toMatchObject({ height, dropped: sound.height - height });
});

test.each(['pruned', 'lite'] as const)(
  'a damaged %s database is rejected with its remedy and not changed',
  async (mode) => {
    const { copy } = await damaged(mode, 'outputs', CELLS);
    const before = readFileSync(databaseFile(copy));
    await expect(repair(copy, peerWith(blocks).fetch)).rejects.toThrow(
      `a ${mode} database does not store all blocks, so its tables cannot be computed from them. Put a backup in its place, ` +
        'import a snapshot (--import-snapshot with --resync), or run with --resync to synchronise again',
    );
    expect(readFileSync(databaseFile(copy)).equals(before)).toBe(true);
  },
);

test('a signal aborts it, and the next one continues', async () => {
  const { copy, sound } = await damaged('full', 'outputs', CELLS);
  const stop = new AbortController();
  const ended = repair(copy, noPeer, {
    signal: stop.signal,
    onProgress: (step) => step === 'verify new' && stop.abort(new Error('enough')),
  });
  await expect(ended).rejects.toThrow('enough');
  expect(existsSync(join(copy, 'repair'))).toBe(true);
  expect((await findings(copy)).problems).not.toEqual([]);
  expect(await repair(copy, noPeer)).toMatchObject({ outcome: 'rebuilt' });
  expect(await after(copy)).toEqual(sound);
});

test('a start finishes a swap that was interrupted at any step', async () => {
  const { directory, sound } = await made('full');
  for (let step = 0; step < 5; step++) {
    const place = copyOf(directory);
    const folder = join(place, 'repair');
    mkdirSync(folder);
    for (const suffix of ['', '-control']) {
      copyFileSync(`${databaseFile(directory)}${suffix}`, `${databaseFile(folder)}${suffix}`);
    }
    flip(place, (PAGE_SIZE + 2) * 8);
    writeFileSync(`${databaseFile(place)}-wal`, '');
    writeFileSync(join(folder, 'ready'), 'damaged\n');
    if (step > 0) mkdirSync(join(place, 'damaged'));
    if (step > 1) renameSync(`${databaseFile(place)}-wal`, `${databaseFile(join(place, 'damaged'))}-wal`);
    const moved = step > 2 ? ['-control', ''] : [];
    for (const suffix of moved) {
      renameSync(`${databaseFile(place)}${suffix}`, `${databaseFile(join(place, 'damaged'))}${suffix}`);
    }
    // The database file moves last.
    if (step > 3) renameSync(`${databaseFile(folder)}-control`, `${databaseFile(place)}-control`);
    openChainDb({ directory: place, network: 'devnet', readonly: true }).close();
    expect(await after(place)).toEqual(sound);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(join(place, 'damaged')).sort()).toEqual([
      'chain.sqlite',
      'chain.sqlite-control',
      'chain.sqlite-wal',
    ]);
    openHere({ directory: place }).close();
  }
});

test('after a kill it continues or starts over', async () => {
  const { directory, pages } = await madeOfChainA(150);
  const page = (pages.get('outputs') ?? []).at(-1)!;
  await killRepairs(directory, (page - 1) * PAGE_SIZE * 8 + CELLS, [5, 9]);
});

test('a truncated file is not repaired: the error has the remedy, and nothing is changed', async () => {
  const { directory } = await made('full');
  const copy = copyOf(directory);
  truncateSync(databaseFile(copy), 10 * PAGE_SIZE);
  const before = readdirSync(copy);
  const repaired = repair(copy, peerWith(blocks).fetch);
  await expect(repaired).rejects.toThrow(/was cut short: 10 pages of \d+ are there\. Put it back from a backup/);
  await expect(repaired).rejects.toThrow(IncompleteFiles);
  expect(readdirSync(copy)).toEqual(before);
});

test('a damaged page of a database with schema version 1 is repaired, and the schema is upgraded', async () => {
  const { directory } = await made('full');
  const copy = copyOf(directory);
  const connection = new SqliteConnection(databaseFile(copy));
  connection.exec('DROP TABLE rules_digests; PRAGMA user_version = 1');
  connection.close();
  flip(copy, (pagesByTable(copy).get('transactions')!.at(-1)! - 1) * PAGE_SIZE * 8 + CELLS);
  expect(await repair(copy, peerWith(blocks).fetch)).toMatchObject({ outcome: 'pages repaired', pages: 1 });
  const db = openHere({ directory: copy });
  expect((await verifyChain(db)).problems).toEqual([]);
  db.close();
});
