import { stringifyJson } from '@wrkz/service-kit';
import type { SqliteConnection } from '@wrkz/sqlite';
import { proposalOf, type ProposalRow } from './proposal';

/** A file that can be read, but whose parts contradict each other: what it says is not served. Its message is for the operator. */
export class FileContradicts extends Error {
  override readonly name = 'FileContradicts';
}

/** Compares each proposal with what the audit has of its last change. @throws FileContradicts */
export function assertAudited(connection: SqliteConnection): void {
  const rows = connection.prepare<[], ProposalRow>('SELECT * FROM proposals').safeIntegers().all();
  const last = connection
    .prepare<[number], string>('SELECT after FROM audit WHERE proposal = ? ORDER BY id DESC LIMIT 1')
    .pluck();
  for (const row of rows) {
    const proposal = proposalOf(row);
    if (last.get(proposal.id) === stringifyJson(proposal)) continue;
    throw new FileContradicts(
      `proposal ${proposal.id} in ${connection.name} is not what the audit has of it: the file is damaged, or was ` +
        'changed by something else than the commands; put a backup in its place',
    );
  }
}

/** Compares each sum with the donations that it is made of. @throws FileContradicts */
export function assertSumsHold(connection: SqliteConnection): void {
  const wrong = connection
    .prepare<[], string>(
      `SELECT funding.address FROM funding LEFT JOIN contributions USING (address) GROUP BY funding.address
       HAVING received <> coalesce(sum(iif(unlocked = 1, amount, 0)), 0) OR pending <> coalesce(sum(iif(unlocked = 0, amount, 0)), 0)
       OR min(received, pending, checked, funding.height) < 0
       UNION SELECT address FROM contributions WHERE address NOT IN (SELECT address FROM funding)`,
    )
    .pluck()
    .get();
  if (wrong === undefined) return;
  throw new FileContradicts(
    `the sums of ${wrong} in ${connection.name} are not those of its donations: the file is damaged; remove it while ` +
      'the program stands still, and it is made again from what the wallet tells',
  );
}
