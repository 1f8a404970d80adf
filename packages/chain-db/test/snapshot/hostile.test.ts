import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { exportSnapshot, importSnapshot, readSnapshotHeader, SnapshotRefused } from '../../src';
import { encodeSnapshotHeader } from '../../src/snapshot/header';
import { FrameReader } from '../../src/snapshot/frames';
import { decodeRecord, type SnapshotBlock, type SnapshotOutput } from '../../src/snapshot/records';
import { loadZstd } from '../../src/snapshot/zstd';
import { chainA } from '../support/chain-a';
import { type Change, crafted, type Crafted } from '../support/crafted-snapshot';
import { cleanUp, freshDirectory, openHere, writerOf } from '../support/directories';

/* Snapshots of a hostile author with a correct or accepted digest, and files that are not snapshots. */

const LITE = 60;

let honest: Buffer;
/** An amount without outputs in the genesis block, and its number of outputs. */
let amount: { readonly amount: bigint; readonly count: number };

beforeAll(async () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 100));
  const path = join(freshDirectory(), 'a.litesnap');
  await exportSnapshot({ reader: db.reader, network: 'devnet', liteHeight: LITE, path });
  honest = readFileSync(path);
  const found = db.reader.amounts().filter((one) => db.reader.output(one, 0)?.height !== 0);
  const [first = 0n] = found;
  amount = { amount: first, count: db.reader.outputCount(first, LITE - 1) };
  cleanUp();
});
afterEach(cleanUp);

async function refusal(
  { path, header }: Crafted,
  options: { readonly accepted?: readonly string[]; readonly report?: (line: string) => void } = {},
): Promise<string> {
  const directory = freshDirectory();
  const { liteHeight, digest } = header;
  const accepted = [digest.toString('hex')];
  const taken = importSnapshot({ path, directory, network: 'devnet', liteHeight, accepted, ...options });
  const error: unknown = await taken.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(readdirSync(directory).filter((name) => name !== 'chain.lock')).toEqual(
    error === undefined ? ['chain.sqlite'] : [],
  );
  if (error === undefined) return 'taken';
  return error instanceof SnapshotRefused ? error.message : `raw: ${(error as Error).stack ?? ''}`;
}

const blockAt =
  (height: number, members: Partial<SnapshotBlock>): Change =>
  (record) =>
    record.table === 'block' && record.block.height === height
      ? { ...record, block: { ...record.block, ...members } }
      : record;

const outputAt =
  (index: number, members: Partial<SnapshotOutput>): Change =>
  (record) =>
    record.table === 'output' && record.output.amount === amount.amount && record.output.index === index
      ? { ...record, output: { ...record.output, ...members } }
      : record;

const genesisOutput =
  (fields: Partial<SnapshotOutput>): Change =>
  (record) =>
    record.table === 'output' && record.output.height === 0
      ? { ...record, output: { ...record.output, ...fields } }
      : record;

test('refuses impossible numbers even with the right digest', async () => {
  const reported: string[] = [];
  const facts = (height: number) => chainA()[height]!.facts;
  const changes: readonly Change[] = [
    blockAt(30, { generatedTransactions: BigInt(facts(29).generatedTransactions) }),
    blockAt(30, { cumulativeDifficulty: facts(29).cumulativeDifficulty }),
    blockAt(30, { generatedTransactions: 1n }),
    blockAt(30, { cumulativeDifficulty: 1n }),
    blockAt(30, { generatedCoins: 1n }),
    blockAt(30, { timestamp: 2n ** 64n - 1n }),
    (record) => (record.table === 'image' ? { ...record, image: { ...record.image, height: 0 } } : record),
    (record) => (record.table === 'image' ? { ...record, image: { ...record.image, height: LITE } } : record),
    outputAt(amount.count - 1, { index: 0xffff_ffff }),
    outputAt(amount.count - 1, { height: 0xffff_ffff }),
    outputAt(0, { height: 0 }),
    blockAt(0, { size: 1 }),
    genesisOutput({ key: Buffer.alloc(32, 1) }),
    genesisOutput({ height: 1 }),
    blockAt(LITE - 1, { generatedTransactions: 2n ** 53n }),
    outputAt(0, { height: LITE - 1 }),
  ];
  for (const change of changes) reported.push(await refusal(await crafted(honest, change)));
  expect(reported).toEqual([
    "The snapshot's transaction count does not rise at block 30",
    "The snapshot's cumulative difficulty does not rise at block 30",
    "The snapshot's transaction count falls at block 30",
    "The snapshot's cumulative difficulty falls at block 30",
    "The snapshot's generated coins fall at block 30",
    "The snapshot's block 30 has numbers that no chain has. Refusing it.",
    'The snapshot carries a key image spent in block 0, which spends nothing. Refusing it.',
    `The snapshot carries a key image spent in block ${LITE}, at or above the height it claims to stop below (${LITE})`,
    expect.stringContaining('some are missing'),
    expect.stringContaining('at or above the height'),
    ...Array.from({ length: 4 }, () => expect.stringContaining('is not the genesis block') as string),
    `The snapshot's block ${LITE - 1} has numbers that no chain has. Refusing it.`,
    `The snapshot's outputs of amount ${amount.amount} are not in the order of their blocks.`,
  ]);
});

test('refuses a block count that does not fit into the file before it allocates memory', async () => {
  const { digest } = readSnapshotHeader(await place(honest));
  const wrongHeader = {
    ...readSnapshotHeader(await place(honest)),
    liteHeight: 0xffff_ffff,
    blockRecords: 0xffff_ffffn,
  };
  const bytes = Buffer.concat([encodeSnapshotHeader(wrongHeader), honest.subarray(128)]);
  const path = await place(bytes);
  expect(await refusal({ path, header: { ...wrongHeader, digest } })).toBe(
    `${path} claims 4294967295 blocks, and is too short for them - the file is corrupt`,
  );
});

/** A file with these bytes. */
function place(bytes: Buffer): Promise<string> {
  const path = join(freshDirectory(), 'b.litesnap');
  writeFileSync(path, bytes);
  return Promise.resolve(path);
}

test('parses records lazily: a frame of millions of tiny records takes no memory', async () => {
  const raw = Buffer.alloc(5 * 200_000);
  for (let i = 0; i < raw.length / 5; i++) raw.writeUIntBE(i, raw.writeUInt8(3, i * 5), 3);
  const zstd = await loadZstd();
  const packed = zstd.compress(raw);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(raw.length, 0);
  lengths.writeUInt32LE(packed.length, 4);
  const path = await place(Buffer.concat([honest.subarray(0, 128), lengths, packed, Buffer.alloc(8)]));
  const reader = new FrameReader(path, zstd);
  const parts = jest.spyOn(Buffer.prototype, 'subarray');
  try {
    const read = (): void => {
      for (const records of reader.frames()) for (const { key, value } of records) decodeRecord(key, value);
    };
    expect(read).toThrow('belonging to no table');
    // A few per decompressed chunk, whose size depends on the version of Node.js, and none per record.
    expect(parts.mock.calls.length).toBeLessThan(2_000);
  } finally {
    parts.mockRestore();
    reader.close();
  }
});

test('refuses a file that changes between the two passes', async () => {
  const hidden: readonly Change[] = [
    (record) => (record.table === 'block' && record.block.height === 30 ? undefined : record),
    blockAt(LITE - 1, { height: 0xffff_fff0 }),
    (record) => (record.table === 'block' && record.block.height === LITE - 1 ? undefined : record),
    (record) => (record.table === 'image' ? { ...record, image: { ...record.image, height: 0xffff_fff0 } } : record),
    outputAt(amount.count - 1, { index: 0xffff_ffff }),
    (record) =>
      record.table === 'output' && record.output.amount === amount.amount && record.output.index === 0
        ? undefined
        : record,
    outputAt(amount.count - 1, { unlockTime: 7n }),
  ];
  for (const change of hidden) {
    const other = await crafted(honest, change);
    const path = await place(honest);
    const swap = (line: string): void => {
      if (line.startsWith('The snapshot is whole')) copyFileSync(other.path, path);
    };
    const header = readSnapshotHeader(path);
    expect(await refusal({ path, header }, { report: swap })).toBe(
      'The snapshot changed while it was read. Nothing has been written.',
    );
  }
});

test('refuses anything but a regular file, and does not wait for a pipe', () => {
  const folder = freshDirectory();
  expect(() => readSnapshotHeader(folder)).toThrow(`${folder} is not a regular file`);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // With an open writer, a reader that opens the pipe fails by its message instead of blocking the test.
  const held = openSync(pipe, constants.O_RDWR);
  try {
    expect(() => readSnapshotHeader(pipe)).toThrow(`${pipe} is not a regular file`);
  } finally {
    closeSync(held);
  }
  expect(() => readSnapshotHeader(pipe)).toThrow(`${pipe} is not a regular file`);
});

test('an export removes the work folders of killed exports to the same file, and no other file', async () => {
  const folder = freshDirectory();
  const { reader } = openHere({ lite: LITE });
  const path = join(folder, 'a');
  const others = ['.a.notes', '.a.backup', '.a.b.export-abcdef', '.a.export-notes.txt'];
  for (const name of others.slice(0, 2)) writeFileSync(join(folder, name), 'kept');
  mkdirSync(join(folder, others[2]!));
  writeFileSync(join(folder, others[3]!), 'kept');
  mkdirSync(join(folder, '.a.export-AbCd12'));
  writeFileSync(join(folder, '.a.export-AbCd12', 'snapshot'), 'torn');
  writeFileSync(path, 'there');
  const exported = exportSnapshot({ reader, network: 'devnet', liteHeight: LITE, path });
  await expect(exported).rejects.toThrow('already exists');
  expect(readdirSync(folder).sort()).toEqual(['a', ...others].sort());
  expect(existsSync(path)).toBe(true);
});
