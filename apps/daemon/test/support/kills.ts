import { join } from 'node:path';
import { openChainDb, verifyChain } from '@wrkz/chain-db';
import { CHAIN_A_HEIGHT, writeChainADump } from '@wrkz/testing';
import { newSuite } from '../network/daemons';
import { DaemonProcess, runDaemon } from './process';
import { temporaryDirectory } from './temporary';

/** A random number in [0, 1) that the seed decides (a 32-bit linear congruence; nothing here needs better). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A process that writes chain A into a data directory. */
export interface Way {
  readonly name: string;
  readonly args: readonly string[];
  /** Whether the process ends by itself. */
  readonly ends: boolean;
}

const onLoopback = [
  '--network',
  'devnet',
  '--p2p-bind-ip',
  '127.0.0.1',
  '--p2p-bind-port',
  '0',
  '--rpc-bind-port',
  '0',
];

export interface KillBench {
  readonly twin: string;
  readonly ways: readonly [imports: Way, syncs: Way];
  close(): Promise<void>;
}

/** Chain A as a dump and at a peer, and the digest of a database that was never disturbed. */
export async function killBench(): Promise<KillBench> {
  const folder = temporaryDirectory();
  const dump = join(folder, 'a.dump');
  writeChainADump(dump);
  const imports: Way = {
    name: 'import',
    args: [...onLoopback, '--import-blockchain', '--dump-file', dump],
    ends: true,
  };
  const undisturbed = join(folder, 'twin');
  const { code, stdout, stderr } = await runDaemon([...imports.args, '--data-dir', undisturbed], folder);
  if (code !== 0) throw new Error(`the twin's import ended with ${String(code)}: ${stdout}${stderr}`);
  const suite = newSuite();
  const peer = await suite.node({ from: undisturbed });
  const exclusive = ['--add-exclusive-node', `127.0.0.1:${String(peer.p2pPort)}`];
  return {
    twin: (await state(undisturbed)).digest,
    ways: [imports, { name: 'sync', args: [...onLoopback, ...exclusive], ends: false }],
    close: () => suite.stopAll(),
  };
}

/** The content of a database. @throws Error when it has a problem */
async function state(dataDir: string): Promise<{ height: number; digest: string }> {
  const { height, digest, problems } = await verifyChain({ directory: join(dataDir, 'devnet'), network: 'devnet' });
  if (problems.length > 0 || digest === undefined) throw new Error(`no sound full database: ${problems.join('\n')}`);
  return { height, digest };
}

export interface KillReport {
  /** Kills that met the work under way: some blocks there, some not. */
  readonly inTheMiddle: number;
  readonly digests: ReadonlySet<string>;
}

/**
 * Starts the work and kills it at a random moment, this many times; the next start continues with the remaining data. After a
 * complete chain, a new directory is used. After each kill the database must be valid and must not have lost a block.
 */
export async function killAtRandom(way: Way, kills: number, random: () => number): Promise<KillReport> {
  const digests = new Set<string>();
  let inTheMiddle = 0;
  let dataDir = temporaryDirectory();
  let height = 0;
  for (let i = 0; i < kills; i++) {
    const child = new DaemonProcess([...way.args, '--data-dir', dataDir], dataDir);
    await Promise.race([firstBlocks(child, dataDir, height), child.ended]);
    await pause(random() * 400);
    child.kill('SIGKILL');
    await child.ended;
    const now = await state(dataDir);
    if (now.height < height)
      throw new Error(`block ${String(height)} was there before the kill, the top is ${String(now.height)}`);
    height = now.height;
    if (height > 0 && height < CHAIN_A_HEIGHT) inTheMiddle += 1;
    if (height < CHAIN_A_HEIGHT) continue;
    digests.add(now.digest);
    dataDir = temporaryDirectory();
    height = 0;
  }
  if (height > 0) digests.add(await finish(way, dataDir));
  return { inTheMiddle, digests };
}

/** Waits until the process has stored something: before that there is nothing to break. */
async function firstBlocks(child: DaemonProcess, dataDir: string, height: number): Promise<void> {
  let over = false;
  void child.ended.then(() => (over = true));
  while (!over && heightOf(dataDir) <= height) await pause(50);
}

/** Lets the work come to its end. @returns the digest */
async function finish(way: Way, dataDir: string): Promise<string> {
  const child = new DaemonProcess([...way.args, '--data-dir', dataDir], dataDir);
  if (!way.ends) {
    let isOver = false;
    void child.ended.then(() => (isOver = true));
    while (!isOver && heightOf(dataDir) < CHAIN_A_HEIGHT) await pause(250);
    child.kill('SIGTERM');
  }
  const { code, stdout, stderr } = await child.ended;
  if (code !== 0) throw new Error(`the ${way.name} ended with ${String(code)}: ${stdout}${stderr}`);
  return (await state(dataDir)).digest;
}

/**
 * The height on disk, looked up beside the running process; -1 while there is no database to open. Each look opens the database
 * and holds up the event loop that serves the chain to the process: looks are far apart.
 */
function heightOf(dataDir: string): number {
  try {
    const db = openChainDb({ directory: join(dataDir, 'devnet'), network: 'devnet', readonly: true });
    try {
      return db.reader.height();
    } finally {
      db.close();
    }
  } catch {
    return -1;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((go) => setTimeout(go, milliseconds));
}
