import { selfTest } from '@wrkz/crypto';
import type { ActionParts } from './action';

/** `--self-test`: every native path of this machine against known results, a line each. Exit code 1 when one differs. */
export async function selfTestAction({ stream, signal }: Pick<ActionParts, 'stream' | 'signal'>): Promise<number> {
  const results = await Promise.race([selfTest(), stopped(signal)]);
  if (results === undefined) {
    stream.write('Stopped before everything was computed\n');
    return 1;
  }
  for (const { path, checks, failures } of results) {
    stream.write(`${path}: ${failures.length === 0 ? `${String(checks)} results as known` : failures.join('; ')}\n`);
  }
  const failed = results.filter(({ failures }) => failures.length > 0);
  stream.write(failed.length === 0 ? 'self-test passed\n' : `self-test FAILED on ${String(failed.length)} paths\n`);
  return failed.length === 0 ? 0 : 1;
}

function stopped(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
