import { readFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { ConsoleRunner } from '../runner';
import { LINE_TOO_LONG, MAX_LINE, Prompt } from './prompt';
import type { Screen } from './screen';

const PROMPT = 'wrkz-daemon> ';
const NO_INPUT = 'The console input has ended; the daemon continues without a console';
const BACKGROUND = 'The daemon is a background process of its terminal: console input is disabled';

export interface LocalConsoleDependencies {
  readonly input: NodeJS.ReadStream;
  readonly screen: Screen;
  readonly runner: ConsoleRunner;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
}

/**
 * The console on the daemon's standard input: with a prompt on a terminal, otherwise line by line. The end of the input does not
 * stop the daemon.
 * @returns a function that closes the console
 */
export function startLocalConsole({ input, screen, runner, onInterrupt }: LocalConsoleDependencies): () => void {
  let closed = false;
  const end = (): void => {
    if (closed) return;
    closed = true;
    screen.print(NO_INPUT);
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
      closed = true;
      prompt.close();
      input.pause();
    };
  }
  void (async () => {
    try {
      for await (const line of inputLines(input, () => screen.print(LINE_TOO_LONG))) await run(line);
    } catch {
      // A read error ends the input like an end of file.
    }
    end();
  })();
  return () => {
    closed = true;
    input.destroy();
  };
}

/**
 * Whether this process may read its terminal: the system stops a background process that tries. Detected on Linux only; other
 * systems return true.
 */
function isInForeground(): boolean {
  try {
    // pid (name) state parent group session terminal foreground-group; the name may contain any character
    const fields = readFileSync('/proc/self/stat', 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
    return fields[2] === fields[5];
  } catch {
    return true;
  }
}

/** Lines of the input. A line that is too long is reported once and skipped; invalid UTF-8 is replaced. */
export async function* inputLines(
  input: AsyncIterable<Buffer | string>,
  onTooLong: () => void,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  let partial = '';
  let skipping = false;
  const take = (text: string): string[] => {
    const pieces = (partial + text).split('\n');
    partial = pieces.pop() ?? '';
    const lines = pieces.filter((piece, i) => {
      const isRest = i === 0 && skipping;
      if (i === 0) skipping = false;
      if (!isRest && piece.length > MAX_LINE) onTooLong();
      return !isRest && piece.length <= MAX_LINE;
    });
    if (partial.length > MAX_LINE) {
      if (!skipping) onTooLong();
      skipping = true;
      partial = '';
    }
    return lines.map((line) => line.replace(/\r$/, ''));
  };
  for await (const chunk of input) yield* take(typeof chunk === 'string' ? chunk : decoder.write(chunk));
  yield* take(decoder.end());
  if (partial !== '' && !skipping) yield partial.replace(/\r$/, '');
}
