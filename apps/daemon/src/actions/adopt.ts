import { resolve } from 'node:path';
import { defineCommands, errorText, parseCommand, type Service, UsageError, workerEntry } from '@wrkz/service-kit';
import { runTask } from '../upkeep/task-process';

/** `wrkz-daemon adopt`. */
export const ADOPT_COMMANDS = defineCommands([
  {
    name: 'adopt',
    help: 'Take over a copied chain database: check every page, then give the database a new id.',
    arguments: [{ name: 'file', help: 'The database, as <data directory>/chain.sqlite; no program may use it' }],
    options: [],
  },
]);

/**
 * The adopt command as a service that ends by itself; undefined for another command line.
 * @throws EarlyExit, UsageError
 */
export function adoptCommand(argv: readonly string[], write: (line: string) => void): Service | undefined {
  if (argv[0] !== 'adopt') return undefined;
  const { words } = parseCommand({ name: 'wrkz-daemon', commands: ADOPT_COMMANDS }, argv);
  const file = resolve(words[0] ?? '');
  const stopping = new AbortController();
  return {
    start: async () => {
      const entry = workerEntry(__dirname, 'adopt-process');
      await runTask({ entry, task: { file }, signal: stopping.signal }).catch((error: unknown) => {
        throw new UsageError(`adopt: ${errorText(error)}`);
      });
      write(`${file} is sound and was adopted: the daemon can use it now.`);
    },
    stop: () => Promise.resolve(stopping.abort(new Error('stopped before the database was adopted'))),
    finished: Promise.resolve(0),
  };
}
