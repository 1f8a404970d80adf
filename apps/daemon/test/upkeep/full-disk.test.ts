import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openChainDb, rulesDigest } from '@wrkz/chain-db';
import { canMount, CHAIN_A_HEIGHT, SmallDisk } from '@wrkz/testing';
import { addEmptyPages } from '../support/empty-pages';
import { newSuite } from '../network/daemons';
import { DaemonProcess } from '../support/process';
import { consoleAt } from './console-at';

/* Daemons on a disk of some megabytes that fills up. */

const MIB = 1024 * 1024;
const suite = newSuite();
const disks: SmallDisk[] = [];
afterEach(async () => {
  for (const disk of disks.splice(0)) await disk.unmount();
});
afterAll(() => suite.stopAll());

const isMountable = canMount();
const onDisk = isMountable ? test : test.skip;
if (!isMountable) console.warn('no file system can be mounted here: what a full disk does is not tested');

async function smallDisk(bytes: number): Promise<SmallDisk> {
  const disk = await SmallDisk.mount(bytes);
  disks.push(disk);
  return disk;
}

/** A daemon on the disk that syncs from a peer. */
function daemonOn(disk: SmallDisk, peer: number, ...args: string[]): DaemonProcess {
  const options = {
    network: 'devnet',
    'data-dir': disk.path,
    'p2p-bind-ip': '127.0.0.1',
    'p2p-bind-port': '0',
    'rpc-bind-port': '0',
    'add-exclusive-node': `127.0.0.1:${String(peer)}`,
    'db-write-buffer-size': '1',
    'auto-prune-min-free-bytes': '0',
    'log-file': '/dev/null',
  };
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return new DaemonProcess([...given, '--no-console', '--enable-health', ...args], disk.path, undefined, disk.enter);
}

/** A data folder on the disk that holds chain A, and so many bytes of empty pages. */
async function chainOn(disk: SmallDisk, emptyPages = 0): Promise<void> {
  const folder = join(await suite.chainA(), 'devnet');
  if (emptyPages > 0) addEmptyPages(join(folder, 'chain.sqlite'), emptyPages);
  cpSync(folder, join(disk.outside, 'devnet'), { recursive: true });
}

const fileOn = (disk: SmallDisk): string => join(disk.outside, 'devnet', 'chain.sqlite');

async function endOf(daemon: DaemonProcess): Promise<void> {
  daemon.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
}

/** The digest of the database on the disk, computed after a verification on its mount point. */
async function digestOn(disk: SmallDisk, kind = 'digest'): Promise<string> {
  const args = ['--network', 'devnet', '--data-dir', disk.path, '--verify', '--log-file', '/dev/null'];
  const { code, stdout, stderr } = await new DaemonProcess(args, disk.path, undefined, disk.enter).ended;
  expect([code, stderr]).toEqual([0, '']);
  return new RegExp(`^${kind} ([0-9a-f]{64})$`, 'm').exec(stdout)?.[1] ?? stdout;
}

/** The rules digest: it does not depend on block bodies. */
const rulesDigestOn = (disk: SmallDisk): Promise<string> => digestOn(disk, 'rules digest');

async function chainARules(): Promise<string> {
  const db = openChainDb({ directory: join(await suite.chainA(), 'devnet'), network: 'devnet', readonly: true });
  try {
    return rulesDigest(db.reader);
  } finally {
    db.close();
  }
}

async function rpcPort(daemon: DaemonProcess): Promise<string> {
  return (await daemon.prints(/RPC at http:\/\/([^;]+);/))[1] ?? '';
}

onDisk('a sync pauses while the disk is full, answers requests, and loses nothing', async () => {
  const peer = await suite.node({ from: await suite.chainA() });
  const disk = await smallDisk(48 * MIB);
  const empty = disk.fill(3.5 * MIB);
  const daemon = daemonOn(disk, peer.p2pPort);
  const rpc = await rpcPort(daemon);
  await daemon.prints(/no blocks are accepted until the disk has free space: only [01]\.\d MiB are free/);
  const height = async (): Promise<number> =>
    ((await (await fetch(`http://${rpc}/height`)).json()) as { height: number }).height;
  const stuck = await height();
  expect(stuck).toBeLessThan(CHAIN_A_HEIGHT);
  const ready = await fetch(`http://${rpc}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ paused: 'no room on the disk' })]);
  expect(await height()).toBe(stuck);
  empty();
  await daemon.prints(/the disk has enough free space again/);
  while ((await height()) <= CHAIN_A_HEIGHT) await new Promise((go) => setTimeout(go, 50));
  daemon.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  expect(await digestOn(disk)).toBe(await peer.digest());
});

onDisk(
  'a disk that fills at once stops the daemon with a message; the next start has every reported block',
  async () => {
    const peer = await suite.node({ from: await suite.chainA() });
    const disk = await smallDisk(12 * MIB);
    const first = daemonOn(disk, peer.p2pPort);
    await first.prints(/RPC at/);
    const empty = disk.fill(0);
    // One that ends prints it no more.
    const waits = first.prints(/no blocks are accepted/).then(
      () => undefined,
      () => first.ended,
    );
    const stopped = await Promise.race([first.ended, waits]);
    if (stopped !== undefined) expect(stopped.stdout + stopped.stderr).toMatch(/full|no room/i);
    empty();
    first.kill('SIGTERM');
    await first.ended;
    expect(await digestOn(disk)).toHaveLength(64);
  },
);

onDisk('pruning pauses while the disk is full, and shrinks the file afterwards', async () => {
  const disk = await smallDisk(48 * MIB);
  await chainOn(disk);
  const before = statSync(fileOn(disk)).size;
  const empty = disk.fill(0.5 * MIB);
  const daemon = daemonOn(disk, 1, '--prune', '--skip-boot-compaction', '--log-level', '4');
  const rpc = await rpcPort(daemon);
  expect(await (await fetch(`http://${rpc}/info`)).json()).toMatchObject({ height: CHAIN_A_HEIGHT + 1, pruned: true });
  expect(statSync(fileOn(disk)).size).toBe(before);
  empty();
  await daemon.prints(/pruned 321 blocks/);
  await endOf(daemon);
  expect(statSync(fileOn(disk)).size).toBeLessThan(before);
  expect(await rulesDigestOn(disk)).toBe(await chainARules());
});

onDisk('prunes in small steps whose log does not fill a disk with little space', async () => {
  const disk = await smallDisk(48 * MIB);
  await chainOn(disk);
  const empty = disk.fill(1.5 * MIB);
  const daemon = daemonOn(disk, 1, '--prune', '--skip-boot-compaction', '--log-level', '4');
  await daemon.prints(/pruned 321 blocks/);
  await endOf(daemon);
  empty();
  expect(await rulesDigestOn(disk)).toBe(await chainARules());
});

onDisk('a compaction without free space fails with the reason, and a later one completes', async () => {
  const disk = await smallDisk(64 * MIB);
  await chainOn(disk, 8 * MIB);
  const before = statSync(fileOn(disk)).size;
  const socket = join(suite.folder(), 'node.sock');
  const say = consoleAt(socket);
  const empty = disk.fill(1.2 * MIB);
  const daemon = daemonOn(disk, 1, '--rpc-ipc-path', socket);
  const rpc = await rpcPort(daemon);
  await daemon.prints(/the compaction of the database failed: only 1\.\d MiB are free/);
  empty();
  expect(await (await fetch(`http://${rpc}/height`)).json()).toMatchObject({ height: CHAIN_A_HEIGHT + 1 });
  await say('compact_db start');
  await say('compact_db wait');
  expect(await say('compact_db status')).toContain('Last result: completed successfully');
  await endOf(daemon);
  expect(statSync(fileOn(disk)).size).toBeLessThan(before - 7 * MIB);
  expect(await rulesDigestOn(disk)).toBe(await chainARules());
});

/** A start that exits by itself, with the data of chain A beside the disk. */
async function actionOn(disk: SmallDisk, ...args: string[]): Promise<DaemonProcess> {
  const given = ['--network', 'devnet', '--data-dir', await suite.chainA(), '--log-file', '/dev/null', ...args];
  return new DaemonProcess(given, disk.path, undefined, disk.enter);
}

const filesOn = (disk: SmallDisk): string[] => readdirSync(disk.outside).filter((name) => name.includes('file'));

onDisk.each([
  ['a dump', ['--export-blockchain', '--dump-file'], 'cannot be written: no space left on the device'],
  ['checkpoints', ['--export-checkpoints'], 'cannot be written: no space left on the device'],
  ['a backup', ['--backup'], /needs \d+(\.\d)? MiB, and only 0\.\d MiB are free on the disk of /],
])('%s on a full disk fails with the option and the file, and leaves no file', async (_name, args, text) => {
  const disk = await smallDisk(4 * MIB);
  const empty = disk.fill(0);
  const file = join(disk.path, 'file');
  const { code, stdout, stderr } = await (await actionOn(disk, ...args, file)).ended;
  const output = stdout + stderr;
  expect(code).toBe(1);
  expect(output).toContain(`--${args.at(-1)?.slice(2) ?? ''}: the file ${file}`);
  expect(output).toMatch(text);
  empty();
  expect(filesOn(disk)).toEqual([]);
});

onDisk('a backup whose disk fills up meanwhile fails with the option and the file, and leaves no file', async () => {
  const disk = await smallDisk(16 * MIB);
  const file = join(disk.path, 'file');
  const daemon = await actionOn(disk, '--backup', file);
  await daemon.prints(/Backing up/);
  const empty = disk.fill(0);
  const { code, stdout, stderr } = await daemon.ended;
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(
    `--backup: the disk is full: cannot write the backup of the chain database ${file}. Free space on that disk`,
  );
  empty();
  expect(filesOn(disk)).toEqual([]);
});
