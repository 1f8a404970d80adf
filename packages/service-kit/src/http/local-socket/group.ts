import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Milliseconds that a directory of users may take. */
const PATIENCE = 5_000;

/** The number of a group by its name or number. @throws Error with a message for the operator */
export async function groupNumber(group: string): Promise<number> {
  if (/^\d{1,10}$/.test(group)) return Number(group);
  // The file first; a name that stands in a directory of users alone is known to getent.
  const found = numberOf(await readFile('/etc/group', 'utf8').catch(() => ''), group) ?? (await asked(group));
  if (found === undefined) throw new Error(`no group named ${group}`);
  return found;
}

async function asked(group: string): Promise<number | undefined> {
  const answer = await run('getent', ['group', '--', group], { timeout: PATIENCE }).catch(() => undefined);
  return answer && numberOf(answer.stdout, group);
}

/** Lines `name:password:number:members`. */
function numberOf(lines: string, group: string): number | undefined {
  for (const line of lines.split('\n')) {
    const [name, , number = ''] = line.split(':');
    if (name === group && /^\d{1,10}$/.test(number)) return Number(number);
  }
  return undefined;
}
