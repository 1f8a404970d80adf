import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeArguments, nodeCommand, Program, writeChainADump } from '../../packages/testing/src';

/** The line of a daemon that serves, with its ports. */
const READY = /peers at 127\.0\.0\.1:(\d+), RPC at http:\/\/127\.0\.0\.1:(\d+)/;

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
  const args = [mainFile(tree), ...nodeArguments('devnet', directory), '--import-blockchain', '--dump-file', dump];
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
    const args = [mainFile(tree), ...nodeArguments('devnet', dataFolder(folder)), ...more];
    const program = new Program('the daemon', () => nodeCommand(args), { ready: READY });
    const [peerPort = 0, port = 0] = await startedPorts(program, READY);
    const stop = async (): Promise<void> => {
      await program.stop('SIGTERM');
      rmSync(folder, { recursive: true });
    };
    return new DaemonProcess(port, peerPort, program.pid ?? 0, dataFolder(folder), stop);
  }

  /** Pins all its threads to one processor. */
  pinTo(processor: number): void {
    pin(this.pid, processor);
  }

  /** Suspends the whole process (SIGSTOP) until {@link resume}; new connections wait until then. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }
}

/** Starts a program and returns the numbers in its line that matches `ready`. @throws Error with its output */
export async function startedPorts(program: Program, ready: RegExp): Promise<number[]> {
  await program.start();
  return program.log.flatMap((line) => ready.exec(line)?.slice(1).map(Number) ?? []);
}
