import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { networkOf } from '@wrkz/core-types';
import {
  type ChainDb,
  exportSnapshot,
  importSnapshot,
  readSnapshotHeader,
  rulesDigest,
  type SnapshotImportOptions,
  verifyChain,
} from '../../src';
import { encodeSnapshotHeader } from '../../src/snapshot/header';
import { chainA } from '../support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from '../support/directories';
import { contents } from '../support/tables';

const LITE = 600;

afterEach(cleanUp);

function full(): ChainDb {
  const db = openHere();
  writerOf(db).append(chainA());
  return db;
}

function synced(): ChainDb {
  const db = openHere({ lite: LITE });
  writerOf(db).append(chainA());
  return db;
}

/** The snapshot of chain A, created once, with its digest as hex and the rules digest of the whole chain. */
let made: { readonly bytes: Buffer; readonly digest: string; readonly rules: string } | undefined;
async function snapshot(): Promise<NonNullable<typeof made>> {
  if (made === undefined) {
    const path = join(freshDirectory(), 'a.litesnap');
    const { reader } = full();
    const header = await exportSnapshot({ reader, network: 'devnet', liteHeight: LITE, path });
    made = { bytes: readFileSync(path), digest: header.digest.toString('hex'), rules: rulesDigest(reader) };
  }
  return made;
}

async function file(change: (bytes: Buffer) => Buffer = (bytes) => bytes): Promise<string> {
  const path = join(freshDirectory(), 'b.litesnap');
  writeFileSync(path, change(Buffer.from((await snapshot()).bytes)));
  return path;
}

async function importHere(options: Partial<SnapshotImportOptions> = {}): Promise<string> {
  const directory = options.directory ?? freshDirectory();
  const { digest } = await snapshot();
  const path = options.path ?? (await file());
  await importSnapshot({
    ...{ path, network: 'devnet', liteHeight: LITE, accepted: [digest] },
    ...options,
    directory,
  });
  return directory;
}

const listed = (directory: string): string[] => readdirSync(directory).sort();

test('an import yields the database of a synchronized lite node', async () => {
  const directory = await importHere();
  expect(listed(directory)).not.toContain('snapshot-import');
  const imported = openHere({ directory, lite: LITE });
  expect(imported.reader.height()).toBe(LITE - 1);
  expect(imported.opening.cleanStop).toBe(true);
  writerOf(imported).append(chainA().slice(LITE));
  const lite = synced();
  expect(rulesDigest(imported.reader)).toBe(rulesDigest(lite.reader));
  expect(rulesDigest(imported.reader)).toBe((await snapshot()).rules);
  const { problems } = await verifyChain(imported);
  expect(problems).toEqual([]);
  // Other tables may differ: a snapshot has no versions, and ids of amounts and images follow the order of insertion.
  const rows = [imported, lite].map((db) => contents(db));
  for (const table of ['transactions', 'block_bodies', 'signatures', 'meta'] as const) {
    expect(rows[0]?.[table]).toEqual(rows[1]?.[table]);
  }
});

test('a full, a pruned and a lite node export the same bytes', async () => {
  const { bytes } = await snapshot();
  const lite = synced();
  const path = join(freshDirectory(), 'c.litesnap');
  await exportSnapshot({ reader: lite.reader, network: 'devnet', liteHeight: LITE, path });
  expect(readFileSync(path)).toEqual(bytes);
  const pruned = full();
  for (let done = false; !done; { done } = writerOf(pruned).pruneStep(700));
  const other = join(freshDirectory(), 'd.litesnap');
  await exportSnapshot({ reader: pruned.reader, network: 'devnet', liteHeight: LITE, path: other });
  expect(readFileSync(other)).toEqual(bytes);
  expect(listed(join(other, '..'))).toEqual(['d.litesnap']);
});

test('the header counts the records', async () => {
  const header = readSnapshotHeader(await file());
  const { reader } = full();
  const blocks = chainA().slice(0, LITE);
  const transactions = blocks.flatMap(({ block, transactions: others }) => [block.coinbase, ...others]);
  const outputs = transactions.flatMap(({ transaction }) => transaction.outputs);
  expect(header).toMatchObject({
    liteHeight: LITE,
    genesisHash: networkOf('devnet').genesis.hash,
    blockRecords: BigInt(LITE),
    keyImageRecords: BigInt(reader.keyImagesBetween(0, LITE).length),
    amountRecords: 0n,
    keyOutputRecords: BigInt(outputs.length),
    transactions: BigInt(transactions.length),
    amounts: BigInt(new Set(outputs.map(({ amount }) => amount)).size),
  });
  expect((await snapshot()).bytes.subarray(0, 128)).toEqual(encodeSnapshotHeader(header));
});

test('a refused import changes nothing', async () => {
  const { digest } = await snapshot();
  const refused = async (options: Partial<SnapshotImportOptions>, message: string | RegExp): Promise<void> => {
    const directory = freshDirectory();
    await expect(importHere({ ...options, directory })).rejects.toThrow(message);
    expect(listed(directory).filter((name) => name !== 'chain.lock')).toEqual([]);
  };
  await refused(
    { accepted: [] },
    `This build does not recognise that snapshot. Its digest is ${digest} at height ${LITE}, and no digest for that height ` +
      'is compiled into this daemon. A snapshot cannot be verified',
  );
  await refused(
    { liteHeight: 500 },
    `That snapshot describes the chain below height ${LITE}, and this daemon was started with --lite-height 500. Restart ` +
      `with --lite-height ${LITE} to use it.`,
  );
  const strange = await file((bytes) => bytes.fill(1, 12, 13));
  await refused(
    { path: strange },
    /^That snapshot is for a chain whose genesis block is [0-9a-f]{64}, and this daemon's/,
  );
  const short = await file((bytes) => bytes.subarray(0, 100));
  await refused({ path: short }, `${short} is too short to be a lite node snapshot`);
  const foreign = await file((bytes) => bytes.fill('x', 0, 3));
  await refused({ path: foreign }, `${foreign} is not a lite node snapshot`);
  const newer = await file((bytes) => bytes.fill(2, 8, 9));
  await refused({ path: newer }, `${newer} is a version 2 lite node snapshot, and this build reads version 1`);
  const cut = await file((bytes) => bytes.subarray(0, -20));
  await refused({ path: cut }, `${cut} ends in the middle of a frame - the file is truncated`);
  const long = await file((bytes) => Buffer.concat([bytes, Buffer.alloc(1)]));
  await refused({ path: long }, `${long} continues after its last frame - the file is corrupt`);
  const wild = await file((bytes) => bytes.fill(0xff, 128, 132));
  await refused({ path: wild }, `${wild} declares an implausible frame size - the file is corrupt`);
  const torn = await file((bytes) => bytes.fill(0x55, 146, 148));
  await refused({ path: torn }, `${torn} holds a frame that does not decompress - the file is corrupt`);
  await refused({ path: join(freshDirectory(), 'none') }, 'ENOENT');
  const other = chainA()[601]!.facts.hash;
  await refused(
    { checkpoint: (height) => (height === 300 ? other : undefined) },
    `The snapshot's block 300 is ${chainA()[300]!.facts.hash.toString('hex')}, but this build's checkpoints say it must be ` +
      `${other.toString('hex')}. This snapshot is not for this chain.`,
  );
});

test('refuses to replace a database that holds a chain or is not a lite one', async () => {
  const lite = synced();
  const rows = contents(lite);
  lite.close();
  await expect(importHere({ directory: lite.directory })).rejects.toThrow(
    'This database already holds a chain up to block 720. A snapshot can only be imported into an empty one - nothing has ' +
      'been touched. Use a new data directory, or --resync to rebuild this one.',
  );
  expect(contents(lite)).toEqual(rows);
  const whole = openHere();
  await expect(importHere({ directory: whole.directory })).rejects.toThrow('is in use by another running program');
  whole.close();
  await expect(importHere({ directory: whole.directory })).rejects.toThrow(
    '--lite can only be chosen for a new database.',
  );
});

test('replaces a database that holds genesis only, and the remains of a killed import', async () => {
  const db = openHere({ lite: LITE });
  writerOf(db).append(chainA().slice(0, 1));
  db.close();
  mkdirSync(join(db.directory, 'snapshot-import'));
  writeFileSync(join(db.directory, 'snapshot-import', 'chain.sqlite'), 'torn');
  const lines: string[] = [];
  await importHere({ directory: db.directory, report: (line) => lines.push(line) });
  expect(lines.join('\n')).toContain('An earlier import stopped part of the way through');
  expect(openHere({ directory: db.directory, lite: LITE }).reader.height()).toBe(LITE - 1);
});

test('finishes the swap of an interrupted repair first', async () => {
  const directory = freshDirectory();
  mkdirSync(join(directory, 'repair'));
  openHere({ directory: join(directory, 'repair') }).close();
  writeFileSync(join(directory, 'repair', 'ready'), 'damaged\n');
  await importHere({ directory, replaces: true });
  expect(openHere({ directory, lite: LITE }).reader.height()).toBe(LITE - 1);
  expect(listed(directory)).not.toContain('repair');
});

test('a dry run checks the whole file and writes nothing', async () => {
  const directory = join(freshDirectory(), 'none');
  await importHere({ directory, dryRun: true });
  expect(existsSync(directory)).toBe(false);
  const torn = await file((bytes) => bytes.fill(0x55, 146, 148));
  await expect(importHere({ directory, dryRun: true, path: torn })).rejects.toThrow('does not decompress');
});

test('reports progress up to all records, and leaves nothing after a stop', async () => {
  const seen: [string, number, number][] = [];
  await importHere({ onProgress: (...progress) => seen.push(progress) });
  const total = seen.at(-1)![2];
  expect(seen.at(-1)).toEqual(['done', total, total]);
  expect(seen.every(([, done]) => done <= total)).toBe(true);
  const directory = freshDirectory();
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(importHere({ directory, signal })).rejects.toThrow('stopped');
  expect(listed(directory).filter((name) => name !== 'chain.lock')).toEqual([]);
  const path = join(freshDirectory(), 'e.litesnap');
  const { reader } = full();
  await expect(exportSnapshot({ reader, network: 'devnet', liteHeight: LITE, path, signal })).rejects.toThrow(
    'stopped',
  );
  expect(listed(join(path, '..'))).toEqual([]);
});

test('an export refuses an existing file', async () => {
  const path = await file();
  const { reader } = full();
  await expect(exportSnapshot({ reader, network: 'devnet', liteHeight: LITE, path })).rejects.toThrow(
    `${path} already exists. Move it aside or name another path.`,
  );
  expect(readFileSync(path)).toEqual((await snapshot()).bytes);
});

test('an export to a full disk fails with the name of the file and leaves nothing', async () => {
  const path = join(freshDirectory(), 'g.litesnap');
  const { reader } = full();
  const write = jest.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  });
  try {
    await expect(exportSnapshot({ reader, network: 'devnet', liteHeight: LITE, path })).rejects.toThrow(
      `the snapshot ${path} cannot be written: no space left on the device. Free some space or name a path on another disk`,
    );
  } finally {
    write.mockRestore();
  }
  expect(listed(join(path, '..'))).toEqual([]);
});

test('refuses a file with a flipped bit', async () => {
  const { bytes } = await snapshot();
  const path = join(freshDirectory(), 'f.litesnap');
  const places = [
    8,
    13,
    44,
    49,
    57,
    65,
    73,
    81,
    89,
    97,
    129,
    133,
    136,
    137,
    140,
    141,
    142,
    143,
    144,
    145,
    bytes.length - 3,
  ];
  for (const at of places) {
    for (const bit of [0, 4, 7]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << bit;
      writeFileSync(path, flipped);
      const directory = freshDirectory();
      await expect([at, bit, await importHere({ path, directory }).catch(() => 'refused')]).toEqual([
        at,
        bit,
        'refused',
      ]);
    }
  }
  copyFileSync(await file(), path);
  truncateSync(path, bytes.length - 8);
  await expect(importHere({ path })).rejects.toThrow('truncated');
});
