import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeChainADump } from '../../packages/testing/src/chain-a';

/** Longest start, milliseconds. */
const PATIENCE = 60_000;
/** A loopback port where nobody listens: a node that may call only this one calls nobody. */
const NOBODY = '127.0.0.1:1';
/** Clock ticks a second in /proc, which is the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** Options of a daemon that talks to nobody but this machine. */
function quietOptions(directory: string): string[] {
  return [
    ...['--network', 'devnet', '--data-dir', directory, '--log-level', '0', '--log-file', ''],
    ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', '0', '--rpc-max-rpm', '0', '--no-console', '--no-zmq'],
    ...['--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0', '--add-exclusive-node', NOBODY],
  ];
}

const dataFolder = (folder: string): string => join(folder, 'data');
const mainFile = (tree: string): string => join(tree, 'apps/daemon/dist/main.js');

/** Imports chain A below `folder` with a built tree's own program. Says where the database is, below the folder's `data`. @throws Error with its output */
export function importChainA(tree: string, folder: string): string {
  const dump = join(folder, 'chain-a.dump');
  const directory = dataFolder(folder);
  writeChainADump(dump);
  const args = [mainFile(tree), ...quietOptions(directory), '--import-blockchain', '--dump-file', dump];
  const imported = spawnSync(process.execPath, args);
  if (imported.status !== 0) throw new Error(`the import failed: ${String(imported.stdout)}${String(imported.stderr)}`);
  return join(directory, 'devnet');
}

/** Holds all threads of a process to one processor; those that they start are held, too. @throws Error without taskset */
export function pin(pid: number, processor: number): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-cp', String(processor), String(pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
}

/** A daemon of a built tree in a process of its own, on loopback alone, that holds devnet chain A. */
export class DaemonProcess {
  private constructor(
    readonly port: number,
    /** Where it listens for peers, on loopback. */
    readonly peerPort: number,
    readonly pid: number,
    /** What its `--data-dir` is. */
    readonly dataDirectory: string,
    /** Ends the process and removes its data. */
    readonly stop: () => Promise<void>,
  ) {}

  /** Imports chain A with the tree's own program, then serves it. @throws Error with the program's output */
  static async start(tree: string, more: readonly string[] = []): Promise<DaemonProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-daemon-'));
    importChainA(tree, folder);
    return DaemonProcess.serve(tree, folder, more);
  }

  /** Serves without any block, with further options. @throws Error with the program's output */
  static startEmpty(tree: string, more: readonly string[]): Promise<DaemonProcess> {
    return DaemonProcess.serve(tree, mkdtempSync(join(tmpdir(), 'bench-daemon-')), more);
  }

  private static async serve(tree: string, folder: string, more: readonly string[]): Promise<DaemonProcess> {
    const args = [mainFile(tree), ...quietOptions(dataFolder(folder)), ...more];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const stop = async (): Promise<void> => {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true });
    };
    let output = '';
    const [peerPort, port] = await new Promise<[number, number]>((resolve, reject) => {
      const fail = (): void => reject(new Error(`the daemon does not serve: ${output}`));
      const timer = setTimeout(fail, PATIENCE);
      void exited.then(fail);
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const found = /peers at 127\.0\.0\.1:(\d+), RPC at http:\/\/127\.0\.0\.1:(\d+)/.exec(output);
        if (found === null) return;
        clearTimeout(timer);
        resolve([Number(found[1]), Number(found[2])]);
      });
    });
    return new DaemonProcess(port, peerPort, child.pid ?? 0, dataFolder(folder), stop);
  }

  /** Holds all its threads to one processor from now on. */
  pinTo(processor: number): void {
    pin(this.pid, processor);
  }

  /** Suspends the whole process (SIGSTOP) until {@link resume}; new connections wait meanwhile. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Bytes of memory that the process holds; undefined where the system does not say. */
  residentBytes(): number | undefined {
    try {
      const status = readFileSync(`/proc/${String(this.pid)}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
    } catch {
      return undefined;
    }
  }

  /** Seconds that all threads of the process have spent on a processor; undefined where the system does not say. */
  busySeconds(): number | undefined {
    try {
      const afterName =
        readFileSync(`/proc/${String(this.pid)}/stat`, 'utf8')
          .split(') ')[1]
          ?.split(' ') ?? [];
      return (Number(afterName[11]) + Number(afterName[12])) / TICKS_PER_SECOND;
    } catch {
      return undefined;
    }
  }
}
