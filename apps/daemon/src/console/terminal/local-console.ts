import type { ConsoleRunner } from '../runner';
import { isInForeground } from './foreground';
import { inputLines, LONGEST_LINE } from './input-lines';
import { Prompt } from './prompt';
import type { Screen } from './screen';

export const PROMPT = 'wrkz-daemon> ';

export interface LocalConsoleParts {
  readonly input: NodeJS.ReadStream;
  readonly screen: Screen;
  readonly runner: ConsoleRunner;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
}

/** Said once, when nobody can type any more. */
const HEADLESS = 'The console has no input any more: the daemon goes on without it';
const BACKGROUND = 'The daemon runs in the background of its terminal: the console is not read';

/**
 * The console at the daemon's own standard input: with a prompt where that is a terminal, else line by line. At the end of
 * the input the daemon goes on without.
 * @returns ends it
 */
export function startLocalConsole({ input, screen, runner, onInterrupt }: LocalConsoleParts): () => void {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    screen.print(HEADLESS);
  };
  const run = async (line: string): Promise<void> => {
    const output = await runner.run(line);
    if (output !== undefined) screen.print(output);
  };
  if (input.isTTY && !isInForeground()) {
    screen.print(BACKGROUND);
    return () => undefined;
  }
  if (input.isTTY && screen.isTerminal) {
    const events = { onLine: (line: string) => void run(line), onInterrupt, onEnd: end };
    const prompt = new Prompt(input, screen, PROMPT, events);
    return () => {
      over = true;
      prompt.close();
      input.pause();
    };
  }
  const tooLong = (): void => screen.print(`that line is too long: at most ${LONGEST_LINE} characters`);
  void (async () => {
    try {
      for await (const line of inputLines(input, tooLong)) await run(line);
    } catch {
      // An input that cannot be read is one that has ended.
    }
    end();
  })();
  return () => {
    over = true;
    input.destroy();
  };
}
