import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { top } from '../lib/workspace.mjs';

const SURVIVED = new Set(['Survived', 'NoCoverage']);
/** RuntimeError: a test file does not load with the mutant, so the tests detect it. */
const KILLED = new Set(['Killed', 'Timeout', 'RuntimeError']);

/**
 * Equivalent mutants with the reason, by file from the top: the changed `code` and its replacement (`with`), without regard
 * to white space.
 */
const readEquivalents = () => JSON.parse(readFileSync(join(top, 'scripts/mutation/equivalents.json'), 'utf8'));

/** Prints unexplained survivors. @returns `rows` for the table, and whether more survive than the area allows */
export function judge(name, { folder, maxSurvivors }, report) {
  const equivalents = readEquivalents();
  const total = { mutants: 0, killed: 0, equivalent: 0, survived: 0 };
  const rows = Object.entries(report.files)
    .sort()
    .map(([file, { source, mutants }]) => {
      const path = `${folder}/${file}`;
      const survivors = mutants
        .filter(({ status }) => SURVIVED.has(status))
        .map((mutant) => ({
          ...mutant,
          code: squeeze(excerpt(source, mutant.location)),
          with: squeeze(mutant.replacement),
        }));
      const known = equivalents[path] ?? [];
      const unknown = survivors.filter(
        (mutant) => !known.some((one) => one.code === mutant.code && one.with === mutant.with),
      );
      for (const mutant of unknown) print(path, mutant);
      const killed = mutants.filter(({ status }) => KILLED.has(status)).length;
      const [equivalent, survived] = [survivors.length - unknown.length, unknown.length];
      const row = { mutants: killed + survivors.length, killed, equivalent, survived };
      for (const key of Object.keys(total)) total[key] += row[key];
      return { file: path, ...row };
    });
  const share = (100 * total.survived) / Math.max(1, total.mutants);
  rows.push({ file: `${name}: ${share.toFixed(1)} % survived, ${maxSurvivors} % allowed`, ...total });
  return { rows, failed: share > maxSurvivors };
}

const squeeze = (text = '') => text.replace(/\s+/g, ' ').trim();

/** The source between two places, whose lines and columns count from 1. */
function excerpt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}

function print(path, { location, status, code, with: replacement }) {
  const reason = status === 'NoCoverage' ? 'reached by no test' : 'survived';
  const { line, column } = location.start;
  process.stdout.write(`${path}:${line}:${column} ${reason}\n  - ${code}\n  + ${replacement}\n`);
}
