import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSnapshotHeader } from '@wrkz/chain-db';
import { toHex } from '@wrkz/core-types';
import { SqliteConnection, WrongSchemaVersion } from '@wrkz/sqlite';
import { copyChain, NETWORK, readChain, startReleaseNode, upgradeChain } from './chain';
import { readJournal, upgradeJournal, writeJournal } from './journal';
import { readProposals, writeProposals } from './proposals';
import { readSnapshot, SNAPSHOT_FILE, writeSnapshot } from './snapshot';
import { readWallet, writeWallet } from './wallet';
import { inWorkFolder, nodeSuite } from './work-folder';

/** The folders of a release. The container of a wallet and its database are in one folder. */
const RELEASED_FOLDERS = ['chain', 'journal', 'wallet', 'proposals', 'snapshot'] as const;
export type ReleasedFolder = (typeof RELEASED_FOLDERS)[number];

/** The content of each folder as the code of the release read it. Later code may read more fields, never other values. */
export type Manifest = Readonly<Record<ReleasedFolder, Record<string, unknown>>>;

const MANIFEST = 'manifest.json';

interface FolderReader {
  read(folder: string): object | Promise<object>;
  /** Opens the database for writing, which runs its migrations. Absent if `read` does that. */
  readonly upgrade?: (folder: string) => void | Promise<void>;
}

const READERS: Readonly<Record<ReleasedFolder, FolderReader>> = {
  chain: { read: readChain, upgrade: upgradeChain },
  journal: { read: readJournal, upgrade: upgradeJournal },
  wallet: { read: readWallet },
  proposals: { read: readProposals },
  // Accepts any digest: the test compares the digest with the manifest.
  snapshot: {
    read: (folder) => readSnapshot(folder, toHex(readSnapshotHeader(join(folder, SNAPSHOT_FILE)).digest)),
  },
};

/** Files that an open leaves beside the released ones. A write-ahead log is empty after a clean close. */
const TEMPORARY_FILE = /\.(lock|previous)$|-(wal|shm)$/;

/** Writes all files and the manifest of the present formats into a new folder. */
export async function writeRelease(folder: string): Promise<void> {
  await inWorkFolder(async (work) => {
    await writeFiles(work);
    for (const name of RELEASED_FOLDERS) {
      mkdirSync(join(folder, name), { recursive: true });
      for (const file of readdirSync(join(work, name))) {
        const path = join(work, name, file);
        if (file.endsWith('-wal') && statSync(path).size > 0) throw new Error(`${path} has commits`);
        if (!TEMPORARY_FILE.test(file)) copyFileSync(path, join(folder, name, file));
      }
    }
  });
  const manifest: Record<string, unknown> = {};
  for (const name of RELEASED_FOLDERS) {
    manifest[name] = await inWorkFolder((copy) => readFolder(name, copyFolder(join(folder, name), copy)));
  }
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function writeFiles(work: string): Promise<void> {
  const suite = nodeSuite();
  try {
    const node = await startReleaseNode(suite);
    await writeWallet(join(work, 'wallet'), node.daemon.ports.rpc);
    await node.stop();
    const chain = join(work, 'chain');
    copyChain(join(node.dataDir, NETWORK), chain);
    await writeJournal(chain, join(work, 'journal'));
    await writeSnapshot(chain, join(work, 'snapshot'));
    writeProposals(join(work, 'proposals'));
  } finally {
    await suite.stopAll();
  }
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
}

/** Reads the files of a folder with the present code. @returns plain JSON in which bigints are strings */
export async function readFolder(name: ReleasedFolder, folder: string): Promise<unknown> {
  const content = await readUpgraded(READERS[name], folder);
  return JSON.parse(
    JSON.stringify(content, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  );
}

/** An open for reading refuses an older schema: only a writer upgrades the database. */
async function readUpgraded({ read, upgrade }: FolderReader, folder: string): Promise<object> {
  try {
    return await read(folder);
  } catch (error) {
    if (!(error instanceof WrongSchemaVersion) || upgrade === undefined) throw error;
    await upgrade(folder);
    return read(folder);
  }
}

/** An open changes files and leaves lock files: open copies only. @returns `to` */
export function copyFolder(from: string, to: string): string {
  cpSync(from, to, { recursive: true });
  return to;
}

/** Version and schema of each SQLite database of a folder, by file name. */
export function schemasIn(folder: string): Record<string, unknown> {
  const databases = readdirSync(folder).filter((name) => {
    return readFileSync(join(folder, name)).subarray(0, 15).equals(Buffer.from('SQLite format 3'));
  });
  return Object.fromEntries(databases.map((name) => [name, schemaOf(join(folder, name))]));
}

function schemaOf(file: string): object {
  const connection = new SqliteConnection(file);
  try {
    return {
      version: connection.pragma('user_version', { simple: true }),
      schema: connection.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all(),
    };
  } finally {
    connection.close();
  }
}
