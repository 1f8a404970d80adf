import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Clock ticks per second in /proc, equal on all Linux systems. */
const TICKS_PER_SECOND = 100;
const POLL_MS = 100;

/** The processor seconds of a process, and its resident memory and the peak of it in MiB. */
export function usage(pid: number): { seconds: number; resident: number; peak: number } {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ') ?? [];
  const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const mebibytes = (field: RegExp): number => Number(field.exec(status)?.[1]) / 1024;
  return { seconds, resident: mebibytes(/VmRSS:\s+(\d+)/), peak: mebibytes(/VmHWM:\s+(\d+)/) };
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** The JSON of a GET request; undefined while the service does not respond. */
export async function getJson<T>(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<T | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, { headers });
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Height of the tip of a daemon; -1 while it does not respond. */
export async function heightOf(port: number): Promise<number> {
  return ((await getJson<{ height: number }>(port, '/height'))?.height ?? 0) - 1;
}

export interface MeasuredProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a program and waits until it is ready. @throws Error if it ends before */
export async function startProcess(
  command: string,
  args: readonly string[],
  isReady: () => Promise<boolean>,
): Promise<MeasuredProcess> {
  const isNode = command === process.execPath;
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore', ...(isNode ? ['ipc' as const] : [])] });
  const exited = once(child, 'exit');
  await until(async () => (await isReady()) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`${command} ${args.join(' ')} ended`);
  return {
    pid: child.pid ?? 0,
    child,
    stop: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}

/** Arguments of Node.js for a process whose event loop is observed by {@link longestPause}. */
export const OBSERVED = ['-r', join(__dirname, 'event-loop-observer.cjs')];

/** Milliseconds of the longest pause of the event loop of an observed process since the last call. */
export async function longestPause(child: ChildProcess): Promise<number> {
  child.send('longest pause');
  const [pause] = (await once(child, 'message')) as [number];
  return pause;
}
