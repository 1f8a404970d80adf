import { errorText } from '@wrkz/service-kit';
import { Complaint, type ConsoleContext } from './command';
import { COMMANDS } from './commands';

const BY_NAME = new Map(COMMANDS.map((command) => [command.name, command]));

/** Runs the lines of every console, one after the other. It can do so between `open` and `close`. */
export class ConsoleRunner {
  private context: ConsoleContext | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  get isOpen(): boolean {
    return this.context !== undefined;
  }

  open(context: ConsoleContext): void {
    this.context = context;
  }

  /** What runs is waited for, what waits is not run any more. */
  async close(): Promise<void> {
    this.context = undefined;
    await this.turn;
  }

  /**
   * What a line prints, each line of it ended; nothing for a blank one, or when `gone` fires before its turn. undefined when
   * the console is closed. Never throws.
   */
  run(line: string, gone?: AbortSignal): Promise<string | undefined> {
    const answer = this.turn.then(async () => {
      if (this.context === undefined) return undefined;
      return gone?.aborted === true ? '' : execute(this.context, line);
    });
    this.turn = answer;
    return answer;
  }
}

async function execute(context: ConsoleContext, line: string): Promise<string> {
  const [name, ...words] = line.split(/\s+/).filter((word) => word !== '');
  if (name === undefined) return '';
  const command = BY_NAME.get(name);
  if (command === undefined) return `Unknown command: ${name}\n`;
  try {
    return await command.run(context, words);
  } catch (error) {
    return error instanceof Complaint ? `${error.message}\n` : `Command failed: ${errorText(error)}\n`;
  }
}
