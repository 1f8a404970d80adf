import { describeSocket, errorText, type Service } from '@wrkz/service-kit';
import { inputLines } from '../terminal/local-console';
import { LINE_TOO_LONG, Prompt } from '../terminal/prompt';
import { Screen } from '../terminal/screen';
import { type AttachTarget, runRemotely } from './client';

const PROMPT = '> ';
const HINT = 'exit or quit leaves this console. stop shuts the daemon down.';
const STOPPING = 'The daemon is shutting down; leaving the console.';

export interface AttachedConsoleStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
}

/** A console of a running daemon: sends each line to the daemon and prints the output. */
export class AttachedConsole implements Service {
  private readonly aborting = new AbortController();
  private readonly screen: Screen;
  private prompt: Prompt | undefined;
  private session: Promise<number> | undefined;

  constructor(
    private readonly target: AttachTarget,
    private readonly streams: AttachedConsoleStreams,
  ) {
    this.screen = new Screen(streams.output);
  }

  get finished(): Promise<number> | undefined {
    return this.session;
  }

  async start(): Promise<void> {
    this.session = this.converse();
  }

  async stop(): Promise<void> {
    this.aborting.abort();
    this.prompt?.close();
    this.streams.input.destroy();
    await this.session;
    this.screen.close();
  }

  /** @returns the exit code: 0 after `exit`, 1 if the daemon cannot be reached */
  private async converse(): Promise<number> {
    const socket = describeSocket(this.target.path);
    let help: string;
    try {
      help = await this.run('help');
    } catch (error) {
      if (this.aborting.signal.aborted) return 0;
      this.streams.errors.write(`Could not attach to ${socket}: ${errorText(error)}\n`);
      return 1;
    }
    for (const text of [`Attached to ${socket}`, help, HINT]) this.screen.print(text);
    try {
      for await (const line of this.lines()) if (await this.execute(line)) break;
    } catch {
      // A read error ends the input like an end of file.
    }
    this.prompt?.close();
    this.streams.input.destroy();
    return 0;
  }

  /** @returns whether the line ends the session */
  private async execute(line: string): Promise<boolean> {
    const [word] = line.trim().split(/\s+/);
    if (word === undefined || word === '') return false;
    if (word === 'exit' || word === 'quit') return true;
    try {
      this.screen.print(await this.run(line));
    } catch (error) {
      if (this.aborting.signal.aborted) return true;
      this.screen.print(`Command failed: ${errorText(error)}`);
      return false;
    }
    if (word !== 'stop') return false;
    this.screen.print(STOPPING);
    return true;
  }

  private run(line: string): Promise<string> {
    return runRemotely(this.target, line, this.aborting.signal);
  }

  private lines(): AsyncIterable<string> {
    const { input } = this.streams;
    if (input.isTTY && this.screen.isTerminal) return this.typedLines();
    return inputLines(input, () => this.screen.print(LINE_TOO_LONG));
  }

  private async *typedLines(): AsyncGenerator<string, void, void> {
    const queue: string[] = [];
    let ended = false;
    let wake = (): void => undefined;
    const end = (): void => {
      ended = true;
      wake();
    };
    this.prompt = new Prompt(this.streams.input, this.screen, PROMPT, {
      onLine: (line) => {
        queue.push(line);
        wake();
      },
      onInterrupt: () => {
        this.aborting.abort();
        this.prompt?.close();
      },
      onEnd: end,
    });
    for (;;) {
      const line = queue.shift();
      if (line !== undefined) yield line;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
}
