import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether a process still does anything; one that is over and waits to be counted does not. */
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

/** Until a process that is not ours has ended. */
export async function untilEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await pause(10);
}

/** Until a command has written so many whole lines. */
export async function untilLines(file: string, count: number): Promise<string[]> {
  for (;;) {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    if (lines.length >= count) return lines;
    await pause(10);
  }
}
