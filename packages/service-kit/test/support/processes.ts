import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${String(pid)}/stat`;
  if (!existsSync('/proc/self/stat')) return true;
  if (!existsSync(stat)) return false;
  const text = readFileSync(stat, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3) !== 'Z';
}

/** Waits until a process that is not a child has ended. */
export async function untilEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await pause(10);
}

/** Waits until a file has this many complete lines. @returns all of them */
export async function untilLines(file: string, count: number): Promise<string[]> {
  for (;;) {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    if (lines.length >= count) return lines;
    await pause(10);
  }
}
