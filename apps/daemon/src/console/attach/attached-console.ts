import { describeSocket, errorText, type Service } from '@wrkz/service-kit';
import { inputLines, LONGEST_LINE } from '../terminal/input-lines';
import { Prompt } from '../terminal/prompt';
import { Screen } from '../terminal/screen';
import { type AttachTarget, runRemotely } from './client';

const PROMPT = '> ';
const LEAVING = 'exit or quit leaves this console. stop shuts the daemon down.';
const STOPPING = 'The daemon is shutting down; leaving the console.';

export interface AttachedConsoleStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
}

/** A console of a daemon that runs: each line is run there, and what it prints comes back. */
export class AttachedConsole implements Service {
  private readonly leaving = new AbortController();
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
    this.session = this.talk();
  }

  async stop(): Promise<void> {
    this.leaving.abort();
    this.prompt?.close();
    this.streams.input.destroy();
    await this.session;
    this.screen.close();
  }

  /** 0 once it is left, 1 when there is nobody to talk to. */
  private async talk(): Promise<number> {
    const socket = describeSocket(this.target.path);
    let help: string;
    try {
      help = await this.run('help');
    } catch (error) {
      if (this.leaving.signal.aborted) return 0;
      this.streams.errors.write(`Could not attach to ${socket}: ${errorText(error)}\n`);
      return 1;
    }
    for (const text of [`Attached to ${socket}`, help, LEAVING]) this.screen.print(text);
    try {
      for await (const line of this.lines()) if (await this.obey(line)) break;
    } catch {
      // An input that cannot be read is one that has ended.
    }
    this.prompt?.close();
    this.streams.input.destroy();
    return 0;
  }

  /** True when the console is to be left. */
  private async obey(line: string): Promise<boolean> {
    const [word] = line.trim().split(/\s+/);
    if (word === undefined || word === '') return false;
    if (word === 'exit' || word === 'quit') return true;
    try {
      this.screen.print(await this.run(line));
    } catch (error) {
      if (this.leaving.signal.aborted) return true;
      this.screen.print(`Command failed: ${errorText(error)}`);
      return false;
    }
    if (word !== 'stop') return false;
    this.screen.print(STOPPING);
    return true;
  }

  private run(line: string): Promise<string> {
    return runRemotely(this.target, line, this.leaving.signal);
  }

  private lines(): AsyncIterable<string> {
    const { input } = this.streams;
    if (input.isTTY && this.screen.isTerminal) return this.typedLines();
    return inputLines(input, () => this.screen.print(`that line is too long: at most ${LONGEST_LINE} characters`));
  }

  private async *typedLines(): AsyncGenerator<string, void, void> {
    const waiting: string[] = [];
    let ended = false;
    let wake = (): void => undefined;
    const end = (): void => {
      ended = true;
      wake();
    };
    this.prompt = new Prompt(this.streams.input, this.screen, PROMPT, {
      onLine: (line) => {
        waiting.push(line);
        wake();
      },
      onInterrupt: () => {
        this.leaving.abort();
        this.prompt?.close();
      },
      onEnd: end,
    });
    for (;;) {
      const line = waiting.shift();
      if (line !== undefined) yield line;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
}
