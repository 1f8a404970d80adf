import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeChainADump } from '../../packages/testing/src/chain-a';

/** Max milliseconds until the daemon serves. */
const START_TIMEOUT_MS = 60_000;
/** A loopback port without a listener: a node with this exclusive node connects to no peer. */
const UNUSED_PEER = '127.0.0.1:1';
/** Clock ticks per second in /proc: the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** Options of a daemon that connects to no peer and listens on loopback only. */
function quietOptions(directory: string): string[] {
  return [
    ...['--network', 'devnet', '--data-dir', directory, '--log-level', '0', '--log-file', ''],
    ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', '0', '--rpc-max-rpm', '0', '--no-console', '--no-zmq'],
    ...['--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0', '--add-exclusive-node', UNUSED_PEER],
  ];
}

const dataFolder = (folder: string): string => join(folder, 'data');
const mainFile = (tree: string): string => join(tree, 'apps/daemon/dist/main.js');

/**
 * Imports chain A below `folder` with the daemon of a built tree.
 * @returns the folder of the database
 * @throws Error with the output of the program
 */
export function importChainA(tree: string, folder: string): string {
  const dump = join(folder, 'chain-a.dump');
  const directory = dataFolder(folder);
  writeChainADump(dump);
  const args = [mainFile(tree), ...quietOptions(directory), '--import-blockchain', '--dump-file', dump];
  const imported = spawnSync(process.execPath, args);
  if (imported.status !== 0) throw new Error(`the import failed: ${String(imported.stdout)}${String(imported.stderr)}`);
  return join(directory, 'devnet');
}

/** Pins all threads of a process, and those that they start, to one processor. @throws Error without taskset */
export function pin(pid: number, processor: number): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-cp', String(processor), String(pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
}

/** A daemon of a built tree in a separate process, on loopback only. */
export class DaemonProcess {
  private constructor(
    readonly port: number,
    /** Its P2P port on loopback. */
    readonly peerPort: number,
    readonly pid: number,
    /** Its `--data-dir`. */
    readonly dataDirectory: string,
    /** Ends the process and removes its data. */
    readonly stop: () => Promise<void>,
  ) {}

  /** Imports chain A with the daemon of the tree, then serves it. @throws Error with the output of the program */
  static async start(tree: string, more: readonly string[] = []): Promise<DaemonProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-daemon-'));
    importChainA(tree, folder);
    return DaemonProcess.serve(tree, folder, more);
  }

  /** Starts with an empty database. @param more further options @throws Error with the output of the program */
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
      const timer = setTimeout(fail, START_TIMEOUT_MS);
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

  /** Pins all its threads to one processor. */
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

  /** Resident memory of the process in bytes; undefined where the system does not report it. */
  residentBytes(): number | undefined {
    try {
      const status = readFileSync(`/proc/${String(this.pid)}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
    } catch {
      return undefined;
    }
  }

  /** Processor time of all threads of the process in seconds; undefined where the system does not report it. */
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
