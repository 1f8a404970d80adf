import { daemonApi } from '@wrkz/api';
import { errorText, routeDeclarer } from '@wrkz/service-kit';
import { type DaemonLabels, guarded } from '../rpc/declare';
import { refuse } from '../rpc/errors';
import { CommandFailure, type ConsoleCommand, type ConsoleContext } from './command';
import { COMMANDS } from './commands';

const BY_NAME = new Map(COMMANDS.map((command) => [command.name, command]));

/** Runs the lines of all consoles, one at a time in the order of arrival, between `open` and `close`. */
export class ConsoleRunner {
  private context: ConsoleContext | undefined;
  private last: Promise<unknown> = Promise.resolve();

  get isOpen(): boolean {
    return this.context !== undefined;
  }

  open(context: ConsoleContext): void {
    this.context = context;
  }

  /** Waits for the running command; queued lines are not run. */
  async close(): Promise<void> {
    this.context = undefined;
    await this.last;
  }

  /**
   * Runs a line. Never rejects.
   * @param gone aborted when the client disconnects: a line that has not started is skipped
   * @returns the output, which ends with a line end or is empty; undefined while the runner is closed
   */
  async run(line: string, gone?: AbortSignal): Promise<string | undefined> {
    const [name, ...words] = line.split(/\s+/).filter((word) => word !== '');
    const command = name === undefined ? undefined : BY_NAME.get(name);
    const execute = async (): Promise<string | undefined> => {
      if (this.context === undefined) return undefined;
      if (name === undefined || gone?.aborted === true) return '';
      return command === undefined ? `Unknown command: ${name}\n` : outputOf(command, this.context, words);
    };
    if (command?.isImmediate === true) return execute();
    return (this.last = this.last.then(execute)) as Promise<string | undefined>;
  }
}

async function outputOf(command: ConsoleCommand, context: ConsoleContext, words: readonly string[]): Promise<string> {
  try {
    return await command.run(context, words);
  } catch (error) {
    return error instanceof CommandFailure ? `${error.message}\n` : `Command failed: ${errorText(error)}\n`;
  }
}

const { internal, noConsole } = daemonApi.refusals;
const route = routeDeclarer<ConsoleRunner, DaemonLabels>();

export const consoleRoute = route({
  method: 'POST',
  path: '/console',
  summary: 'Runs a command of the console and returns its output. Served on the local socket only.',
  ...guarded('node'),
  body: daemonApi.consoleBody,
  response: daemonApi.consoleResponse,
  errors: [internal, noConsole],
  prepare: (fields) => {
    const { command } = fields;
    // The text of the C++ programs: clients may parse it.
    if (command !== undefined && typeof command !== 'string')
      throw refuse(internal, { message: 'JSON parameter is wrong type. Expected String' });
    return fields;
  },
  handle: async (runner, { body, gone }) => {
    const output = await runner.run(body.command, gone);
    if (output === undefined) throw refuse(noConsole);
    return { output, status: 'OK' as const };
  },
});
