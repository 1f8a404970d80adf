/**
 * `node scripts/checks/terms.mjs [file...]`: fails when an invented term occurs in a file name, an identifier, a comment or
 * a document. The list holds only words that are never right in this project.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceFiles } from '../lib/copy.mjs';
import { main } from '../lib/run.mjs';
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

/** Files that quote a term, with the reason. */
const EXCEPTIONS = new Map([
  ['scripts/checks/terms.mjs', 'the list itself'],
  ['packages/core-types/src/mnemonic-words.ts', 'the word list of mnemonics'],
]);

const TEXTS = /\.(ts|mjs|cjs|js|md|cc|h|json|ya?ml|sh)$/;
const SKIPPED = /^(pnpm-lock\.yaml|packages\/testing\/fixtures\/|release\/)/;

await main(() => {
  const terms = TERMS.map(([pattern, standard]) => ({ pattern: new RegExp(pattern, 'i'), standard }));
  const problems = [];
  for (const file of workspaceFiles()) {
    if (SKIPPED.test(file) || EXCEPTIONS.has(file)) continue;
    const lines = [file, ...(TEXTS.test(file) ? readFileSync(join(top, file), 'utf8').split('\n') : [])];
    lines.forEach((line, number) => {
      for (const { pattern, standard } of terms) {
        const found = pattern.exec(line)?.[0];
        if (found !== undefined) problems.push(`${file}:${number}: "${found}"; use: ${standard}`);
      }
    });
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
});
