import { createInterface, type Interface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { yieldToEventLoop } from '@wrkz/service-kit';
import { completeLine } from '../commands';
import type { Screen } from './screen';

const HISTORY = 500;
/** Max characters of a line. */
export const MAX_LINE = 8 * 1024;
export const LINE_TOO_LONG = `that line is too long: at most ${MAX_LINE} characters`;

export interface PromptEvents {
  onLine(line: string): void;
  /** Ctrl-C. */
  onInterrupt(): void;
  /** Ctrl-D, or the terminal is gone. */
  onEnd(): void;
}

/** The line editor of a terminal: history with the arrow keys, completion with Tab, output above the line. */
export class Prompt {
  private readonly editor: Interface;
  private readonly output: EditorOutput;
  private closed = false;

  constructor(
    input: NodeJS.ReadStream,
    private readonly screen: Screen,
    private readonly text: string,
    private readonly events: PromptEvents,
  ) {
    const keys = keyStream(input);
    keys.on('error', () => this.close());
    this.output = new EditorOutput(screen.terminal, screen.columns);
    this.editor = createInterface({
      input: keys,
      output: this.output,
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
    screen.prompt({ rowsAbove: () => this.rowsAbove(), draw: () => this.draw() });
  }

  close(): void {
    if (!this.closed) this.editor.close();
  }

  /** Computed at the current width: a resize wraps the line again. */
  private rowsAbove(): number {
    const drawnColumns = this.output.columns;
    this.output.columns = this.screen.columns;
    const { rows } = this.editor.getCursorPos();
    this.output.columns = drawnColumns;
    return rows;
  }

  /**
   * Draws the line from the row of the cursor on. readline first moves up to where the line started when it was last drawn, at
   * the width of that time; so the cursor moves down by as many rows before.
   */
  private draw(): void {
    this.output.write('\n'.repeat(this.editor.getCursorPos().rows));
    this.output.columns = this.screen.columns;
    this.editor.prompt(true);
  }

  private line(line: string): void {
    const whole = this.text + line;
    this.screen.entered(Math.floor(whole.length / this.screen.columns) + 1, whole);
    if (line.length >= MAX_LINE) this.screen.print(LINE_TOO_LONG);
    else this.events.onLine(line);
  }

  private end(): void {
    this.closed = true;
    this.screen.prompt(undefined);
    this.events.onEnd();
  }
}

/**
 * The terminal as readline writes to it. The width changes only when the line is drawn again, so readline never draws by itself.
 */
class EditorOutput extends Writable {
  constructor(
    private readonly terminal: NodeJS.WriteStream,
    public columns: number,
  ) {
    super({ decodeStrings: false });
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.terminal.write(chunk);
    done();
  }
}

/** The keys of the input as a stream for readline, which switches the terminal to raw mode through it. */
function keyStream(input: NodeJS.ReadStream): NodeJS.ReadableStream {
  const keys = Readable.from(inputKeys(input), { highWaterMark: 1 });
  return Object.assign(keys, { setRawMode: (on: boolean) => input.setRawMode(on) });
}

/** Characters between two yields to the event loop: readline measures the whole line for each character. */
const SLICE = 32;

/**
 * Splits typed or pasted text into characters: readline miscounts the rows of its line when it receives several at once.
 * Characters of a line beyond `MAX_LINE` are dropped. A tab inside pasted text becomes a space, so it requests no completion.
 */
export async function* inputKeys(input: AsyncIterable<Buffer | string>): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  let length = 0;
  for await (const chunk of input) {
    const characters = [...(typeof chunk === 'string' ? chunk : decoder.write(chunk))];
    for (const [i, typed] of characters.entries()) {
      const character = typed === '\t' && i + 1 < characters.length ? ' ' : typed;
      const isControl = character < ' ' || character === '\u007f';
      // Arrow keys and deletions do not change the count; only the end of the line, or Ctrl-U, resets it.
      if (character === '\r' || character === '\n' || character === '\u0015') length = 0;
      else if (!isControl) length += 1;
      if (isControl || length <= MAX_LINE) yield character;
      if (i % SLICE === SLICE - 1) await yieldToEventLoop();
    }
  }
}
