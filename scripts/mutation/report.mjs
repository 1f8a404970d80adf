import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { top } from '../lib/workspace.mjs';

const SURVIVED = new Set(['Survived', 'NoCoverage']);
/** RuntimeError: a test file does not load with the mutant, so the tests detect it. */
const COUNTED = new Set(['Killed', 'Timeout', 'RuntimeError', ...SURVIVED]);

/**
 * Equivalent mutants with the reason: `file` from the top, the changed `code` and its replacement (`with`), without regard
 * to white space.
 */
function equivalents() {
  return JSON.parse(readFileSync(join(top, 'scripts/mutation/equivalents.json'), 'utf8'));
}

/** Prints unexplained survivors. @returns `rows` for the table, and whether more survive than the area allows */
export function judge(name, { folder, maxSurvivors }, report) {
  const known = equivalents();
  const rows = [];
  const total = { mutants: 0, killed: 0, equivalent: 0, survived: 0 };
  for (const [file, { source, mutants }] of Object.entries(report.files).sort()) {
    const path = `${folder}/${file}`;
    const row = { mutants: 0, killed: 0, equivalent: 0, survived: 0 };
    for (const mutant of mutants) {
      if (!COUNTED.has(mutant.status)) continue;
      row.mutants += 1;
      if (!SURVIVED.has(mutant.status)) row.killed += 1;
      else if (isKnown(known, path, source, mutant)) row.equivalent += 1;
      else {
        row.survived += 1;
        print(path, source, mutant);
      }
    }
    for (const key of Object.keys(total)) total[key] += row[key];
    rows.push({ file: path, ...row });
  }
  const share = (100 * total.survived) / Math.max(1, total.mutants);
  rows.push({ file: `${name}: ${share.toFixed(1)} % survived, ${maxSurvivors} % allowed`, ...total });
  return { rows, failed: share > maxSurvivors };
}

const squeeze = (text) => text.replace(/\s+/g, ' ').trim();

function isKnown(known, path, source, mutant) {
  const [code, replacement] = [squeeze(excerpt(source, mutant.location)), squeeze(mutant.replacement ?? '')];
  return known.some((one) => one.file === path && one.code === code && one.with === replacement);
}

/** The source between two places, whose lines and columns count from 1. */
function excerpt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}

function print(path, source, mutant) {
  const { line, column } = mutant.location.start;
  const status = mutant.status === 'NoCoverage' ? 'reached by no test' : 'survived';
  process.stdout.write(
    `${path}:${line}:${column} ${status}\n  - ${squeeze(excerpt(source, mutant.location))}\n  + ${squeeze(mutant.replacement ?? '')}\n`,
  );
}
