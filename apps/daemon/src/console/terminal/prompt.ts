import { createInterface, type Interface } from 'node:readline';
import { Readable } from 'node:stream';
import { completeLine } from '../completion';
import { LONGEST_LINE, typedSlices } from './input-lines';
import type { Screen } from './screen';

const HISTORY = 500;

export interface PromptEvents {
  onLine(line: string): void;
  /** Ctrl-C. */
  onInterrupt(): void;
  /** Ctrl-D, or the terminal is gone. */
  onEnd(): void;
}

/** What readline keeps of where it has drawn the line: the row of the cursor, from the first one of the line on. */
interface Drawn {
  prevRows: number;
}

/** The line editor of a terminal: history with the arrows, completion with Tab, the screen's lines above it. */
export class Prompt {
  private readonly editor: Interface;
  private closed = false;

  constructor(
    input: NodeJS.ReadStream,
    private readonly screen: Screen,
    private readonly text: string,
    private readonly events: PromptEvents,
  ) {
    const slices = inSlices(input);
    slices.on('error', () => this.close());
    this.editor = createInterface({
      input: slices,
      output: screen.terminal,
      terminal: true,
      prompt: text,
      historySize: HISTORY,
      removeHistoryDuplicates: true,
      completer: (line: string) => completeLine(line),
    });
    this.editor.on('line', (line) => this.line(line));
    this.editor.on('SIGINT', () => events.onInterrupt());
    this.editor.on('close', () => this.end());
    input.on('error', () => this.close());
    screen.prompt({ rowsAbove: () => this.editor.getCursorPos().rows, draw: () => this.draw() });
  }

  close(): void {
    if (!this.closed) this.editor.close();
  }

  private draw(): void {
    // The screen has moved to a fresh row: nothing of the line stands above it.
    (this.editor as unknown as Drawn).prevRows = 0;
    this.editor.prompt(true);
  }

  private line(line: string): void {
    const whole = this.text + line;
    this.screen.entered(Math.floor(whole.length / this.screen.columns) + 1, whole);
    if (line.length >= LONGEST_LINE) this.screen.print(`that line is too long: at most ${LONGEST_LINE} characters`);
    else this.events.onLine(line);
  }

  private end(): void {
    this.closed = true;
    this.screen.prompt(undefined);
    this.events.onEnd();
  }
}

/** The keys of the terminal as the editor can work them off; raw mode is the terminal's. */
function inSlices(input: NodeJS.ReadStream): NodeJS.ReadableStream {
  const slices = Readable.from(typedSlices(input), { objectMode: false, highWaterMark: 1 });
  return Object.assign(slices, { setRawMode: (on: boolean) => input.setRawMode(on) });
}
