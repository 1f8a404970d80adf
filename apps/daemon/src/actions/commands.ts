import { errorText, parseCommand, type Service, UsageError } from '@wrkz/service-kit';
import { adoptCommand } from './backup';
import { compareCheckpointsCommand } from './checkpoints';
import type { DaemonCommand } from './command';
import { compareCommand } from './compare';
import { probeCommand } from './probe';

/** The commands that do one job and exit. */
export const DAEMON_COMMANDS: readonly DaemonCommand[] = [
  adoptCommand,
  probeCommand,
  compareCommand,
  compareCheckpointsCommand,
];

/**
 * The one-shot command of a command line as a service; undefined for another command line.
 * @throws EarlyExit, UsageError
 */
export function daemonCommandService(argv: readonly string[], write: (line: string) => void): Service | undefined {
  const command = DAEMON_COMMANDS.find(({ name }) => name === argv[0]);
  if (command === undefined) return undefined;
  const { values, words } = parseCommand({ name: 'wrkz-daemon', commands: [command] }, argv);
  const stopping = new AbortController();
  let code = 1;
  return {
    start: async () => {
      try {
        code = await command.run(values, words, { write, signal: stopping.signal });
      } catch (error) {
        throw new UsageError(`${command.name}: ${errorText(error)}`);
      }
    },
    stop: () => Promise.resolve(stopping.abort(new Error(`${command.name} was stopped`))),
    get finished() {
      return Promise.resolve(code);
    },
  };
}
