/**
 * `node scripts/checks/terms.mjs`: fails when an invented term occurs in a file name, an identifier, a comment or
 * a document. The list holds only words that are never right in this project.
 */
import { spawnSync } from 'node:child_process';
import { workspaceFiles } from '../lib/copy.mjs';
import { Failure, main } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';

/** Term (a regular expression, matched without regard to case) and the standard word. */
const TERMS = [
  ['(Send|Delayed)Desk', 'TransactionSender, DelayedTransactionQueue'],
  ['\\w*DetailsKeeper|details-keeper', 'TransactionDetailsCache'],
  ['OneAtATime|one-at-a-time', 'Mutex'],
  ['\\bSurroundings\\b', 'Dependencies, Options'],
  ['\\bChores\\b', 'MaintenanceQueue'],
  ['gatherBreathing|mapBreathing|TurnTaker|\\binTurns\\b|\\bbreathe\\b', 'yieldToEventLoop'],
  ['\\b(Event|read)Wish\\b', 'EventQuery, parseEventQuery'],
  ['\\bwhereabouts\\b', 'transaction status'],
  ['\\bkeepHouse\\b|\\bhouse-?keeping\\b', 'retention job, cleanup'],
  ['\\binRounds\\b', 'coin selection'],
  ['\\bside-file\\b', 'wallet database'],
  ['\\bStallNews\\b|\\bleavings\\b', 'recent failovers, stall reporter'],
  ['\\bis told of\\b|\\bis asked for\\b', 'is reported, is requested'],
  ['\\bwhat nobody waits for\\b', 'jobs without a waiting client'],
  ['\\bthat is none\\b', 'invalid'],
  ['\\bby its own clock\\b', 'on its own timer'],
  ['\\b(liars?|manners|unlucky)\\b', 'name the behaviour'],
];

/** Files that quote a term, and third-party files. */
const SKIPPED = [
  'scripts/checks/terms.mjs',
  'packages/core-types/src/mnemonic-words.ts',
  'packages/testing/fixtures',
  'pnpm-lock.yaml',
].map((path) => `:!${path}`);

await main(() => {
  const names = workspaceFiles();
  const problems = TERMS.flatMap(([pattern, standard]) => {
    const grep = ['grep', '--untracked', '-nIiP', '-e', pattern, '--', '.', ...SKIPPED];
    // git grep exits with 1 if nothing is found.
    const { status, stdout, stderr } = spawnSync('git', grep, { cwd: top, encoding: 'utf8' });
    if (status > 1) throw new Failure(stderr);
    const found = [...stdout.split('\n'), ...names.filter((name) => new RegExp(pattern, 'i').test(name))];
    return found.filter(Boolean).map((line) => `${line}; use: ${standard}`);
  });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
});
