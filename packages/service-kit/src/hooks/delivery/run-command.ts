import { type ChildProcess, spawn } from 'node:child_process';
import { errorText } from '../../error-text';
import { fillPlaceholders } from '../command-template';
import type { DeliveryOutcome } from './protocol';

export interface CommandRun {
  readonly words: readonly string[];
  readonly placeholders: Readonly<Record<string, string>>;
  readonly id: string;
}

/**
 * Runs a command without a shell, with this process's environment, folder and output, and with nothing to read. It leads a
 * group of its own: when the signal fires, whatever it has started goes with it.
 */
export function runCommand({ words, placeholders, id }: CommandRun, signal: AbortSignal): Promise<DeliveryOutcome> {
  const [program = '', ...rest] = words.map((word) => fillPlaceholders(word, placeholders));
  return new Promise((resolve) => {
    let child: ChildProcess;
    const failed = (error: unknown): void =>
      resolve({ kind: 'unreachable', why: `failed to start '${program}': ${errorText(error)}` });
    try {
      child = spawn(program, rest, {
        stdio: ['ignore', 'inherit', 'inherit'],
        detached: true,
        env: { ...process.env, WRKZ_DELIVERY_ID: id },
      });
    } catch (error) {
      return failed(error);
    }
    const kill = (): void => killGroup(child);
    signal.addEventListener('abort', kill, { once: true });
    child.once('error', failed);
    child.once('exit', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) resolve({ kind: 'cancelled' });
      else if (code === 0) resolve({ kind: 'delivered' });
      else resolve({ kind: 'refused', why: endOf(program, code, killedBy) });
    });
  });
}

function endOf(program: string, code: number | null, signal: NodeJS.Signals | null): string {
  return code === null
    ? `'${program}' terminated by signal ${signal ?? 'unknown'}`
    : `'${program}' exited with code ${String(code)}`;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}
