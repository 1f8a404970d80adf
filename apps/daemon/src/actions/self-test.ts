import { selfTest } from '@wrkz/crypto';
import type { ActionParts } from './action';

/** `--self-test`: every native path of this machine against known results, a line each. Exit code 1 when one differs. */
export async function selfTestAction({ stream }: Pick<ActionParts, 'stream'>): Promise<number> {
  const results = await selfTest();
  for (const { path, checks, failures } of results) {
    stream.write(`${path}: ${failures.length === 0 ? `${String(checks)} results as known` : failures.join('; ')}\n`);
  }
  const failed = results.filter(({ failures }) => failures.length > 0);
  stream.write(failed.length === 0 ? 'self-test passed\n' : `self-test FAILED on ${String(failed.length)} paths\n`);
  return failed.length === 0 ? 0 : 1;
}
