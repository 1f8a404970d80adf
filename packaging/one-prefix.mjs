import { createRequire } from 'node:module';
import { join } from 'node:path';
import { top } from '../scripts/lib/workspace.mjs';

/** A transaction prefix (hex) for which a helper can find a proof; the packages must be compiled. */
export function onePrefix() {
  const { encodeTransactionPrefix } = createRequire(import.meta.url)(join(top, 'packages/core-types/dist'));
  const key = Buffer.alloc(32, 7);
  return encodeTransactionPrefix({
    version: 1,
    unlockTime: 0n,
    inputs: [{ type: 'key', amount: 1000n, keyOffsets: [1, 2], keyImage: key }],
    outputs: [{ amount: 900n, key }],
    extra: Buffer.concat([Buffer.from([4]), Buffer.alloc(8)]),
  }).toString('hex');
}
