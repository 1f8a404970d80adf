import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import { newSuite } from '../network/daemons';
import { DaemonProcess } from '../support/process';
import { canMount, SmallDisk } from '../support/small-disk';

jest.setTimeout(180_000);

/* Whole daemons on a disk of some megabytes, which fills up and gets space again. */

const MIB = 1024 * 1024;
const suite = newSuite();
const disks: SmallDisk[] = [];
afterEach(async () => {
  for (const disk of disks.splice(0)) await disk.unmount();
});
afterAll(() => suite.stopAll());

const onDisk = canMount ? test : test.skip;
if (!canMount) console.warn('no file system can be mounted here: what a full disk does is not tested');

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

/** The digest of what lies on the disk, looked through where it is mounted. */
async function digestOn(disk: SmallDisk): Promise<string> {
  const args = ['--network', 'devnet', '--data-dir', disk.path, '--verify', '--log-file', '/dev/null'];
  const { code, stdout, stderr } = await new DaemonProcess(args, disk.path, undefined, disk.enter).ended;
  expect([code, stderr]).toEqual([0, '']);
  return /^digest ([0-9a-f]{64})$/m.exec(stdout)?.[1] ?? stdout;
}

async function rpcPort(daemon: DaemonProcess): Promise<string> {
  return (await daemon.prints(/RPC at http:\/\/([^;]+);/))[1] ?? '';
}

onDisk(
  'a sync that fills the disk waits, answers meanwhile, and goes on when there is space: nothing is lost',
  async () => {
    const peer = await suite.node({ from: await suite.chainA() });
    const disk = await smallDisk(48 * MIB);
    const empty = disk.fill(3.5 * MIB);
    const daemon = daemonOn(disk, peer.p2pPort);
    const rpc = await rpcPort(daemon);
    await daemon.prints(/no blocks are taken until there is room on the disk: only 1\.\d MiB are free/);
    const height = async (): Promise<number> =>
      ((await (await fetch(`http://${rpc}/height`)).json()) as { height: number }).height;
    const stuck = await height();
    expect(stuck).toBeLessThan(CHAIN_A_HEIGHT);
    const ready = await fetch(`http://${rpc}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      expect.objectContaining({ paused: 'no room on the disk' }),
    ]);
    expect(await height()).toBe(stuck);
    empty();
    await daemon.prints(/there is room on the disk again/);
    while ((await height()) <= CHAIN_A_HEIGHT) await new Promise((go) => setTimeout(go, 50));
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect(await digestOn(disk)).toBe(await peer.digest());
  },
);

onDisk(
  'a disk that is full at once ends the daemon with a clear message; the next start has all that was told',
  async () => {
    const peer = await suite.node({ from: await suite.chainA() });
    const disk = await smallDisk(12 * MIB);
    const first = daemonOn(disk, peer.p2pPort);
    await first.prints(/RPC at/);
    const empty = disk.fill(0);
    const stopped = await Promise.race([first.ended, first.prints(/no blocks are taken/).then(() => undefined)]);
    if (stopped !== undefined) expect(stopped.stdout + stopped.stderr).toMatch(/full|no room/i);
    empty();
    first.kill('SIGTERM');
    await first.ended;
    expect(await digestOn(disk)).toHaveLength(64);
  },
);
