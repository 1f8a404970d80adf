import type { NetworkName } from '@wrkz/core-types';
import type { SqliteConnection } from '@wrkz/sqlite';
import { HASH_KINDS } from '../hash-index/schema';
import type { FloorHeights } from '../modes/floors';
import type { TABLES } from '../schema';
import { BlockVerifier } from './block-verifier';
import { StateDigest } from './digest';
import { type FoundRows, steps } from './fast-pass';
import { checkLowerTables } from './lower-tables';
import { guarded, type Problems } from './problems';
import { countRows } from './row-count';
import type { StoredRows } from './stored-rows';

type Counts = Partial<Record<(typeof TABLES)[number], number>>;

/**
 * Recomputes from the stored blocks what the other tables say, block by block, and counts the rows that no block accounts for.
 * @param progress called with each height
 * @returns what there must be, and the digest of the state
 */
export function* fullPass(
  connection: SqliteConnection,
  network: NetworkName,
  rows: StoredRows,
  floors: FloorHeights,
  problems: Problems,
  progress: (height: number, tip: number) => void,
): Generator<void, FoundRows & { readonly digest: string }> {
  const digest = new StateDigest(network);
  const verifier = new BlockVerifier(network, rows, problems, digest, floors);
  // Not the highest height: a damaged one would send the loop far beyond the chain.
  const blocks = (yield* steps(problems, 'blocks', countRows(connection, 'blocks'))) ?? 0;
  const tip = blocks - 1;
  for (let height = 0; height <= tip; height++) {
    guarded(problems, `block ${height}`, () => verifier.check(height));
    progress(height, tip);
    yield;
    if (height === 0 && floors.lite !== undefined) {
      const bounds = { lite: floors.lite, tip };
      const look = checkLowerTables(connection, rows, problems, bounds, verifier.carried);
      yield* steps(problems, 'rows below the lite height', look);
    }
  }
  for (const [table, wanted] of Object.entries(expectedCounts(verifier, blocks))) {
    const found = yield* steps(problems, table, countRows(connection, table));
    if (found !== undefined) problems.equal(table, 'number of rows', found, wanted);
  }
  const entries = {
    [HASH_KINDS.block]: blocks,
    [HASH_KINDS.transaction]: verifier.records,
    [HASH_KINDS.keyImage]: verifier.carried.keyImages,
    [HASH_KINDS.paymentId]: verifier.carried.paymentIds,
  };
  return { tip, entries, digest: digest.finish() };
}

/** How many rows each table must have, from what the blocks held. */
function expectedCounts(verifier: BlockVerifier, blocks: number): Counts {
  const { carried } = verifier;
  let outputs = 0;
  for (const count of carried.outputs.values()) outputs += count;
  return {
    blocks,
    block_bodies: verifier.bodies,
    transactions: verifier.records,
    signatures: verifier.signatures,
    amounts: carried.outputs.size,
    outputs,
    key_images: carried.keyImages,
    payment_ids: carried.paymentIds,
  };
}
