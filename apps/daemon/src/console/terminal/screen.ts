import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';

/** The input line at the bottom of the screen. */
export interface InputLine {
  /** Rows of the line above the row of the cursor. */
  rowsAbove(): number;
  /** Draws the line, starting in the row of the cursor. */
  draw(): void;
}

/**
 * The bottom of a terminal: a status line and below it the prompt. Everything else (log lines, output of commands) is printed
 * above them. If the output is not a terminal, text is written as it is.
 */
export class Screen extends Writable {
  private statusText = '';
  private input: InputLine | undefined;
  /** Rows of the status line while it is drawn, otherwise 0. */
  private statusRows = 0;
  private drawn = false;

  constructor(readonly terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    if (this.isTerminal) terminal.on('resize', this.redraw);
  }

  get isTerminal(): boolean {
    return this.terminal.isTTY === true;
  }

  get columns(): number {
    return this.terminal.columns || 80;
  }

  /** Prints text above the status line. A missing line end is added. */
  print(text: string): void {
    if (text === '') return;
    const ended = text.endsWith('\n') ? text : `${text}\n`;
    this.hide();
    this.terminal.write(ended);
    this.show();
  }

  /** Replaces the status line; an empty text removes it. */
  status(text: string): void {
    if (!this.isTerminal || text === this.statusText) return;
    this.hide();
    this.statusText = text;
    this.show();
  }

  /** Sets or removes the input line. */
  prompt(input: InputLine | undefined): void {
    this.hide();
    this.input = input;
    this.show();
  }

  /** Call it after Enter: the cursor is in the row below the line. Prints the line above the output of its command. */
  entered(rows: number, text: string): void {
    if (!this.isTerminal) return;
    this.erase(rows + this.statusRows);
    this.drawn = false;
    this.print(text);
  }

  /** Removes the status line and the prompt. */
  close(): void {
    this.hide();
    this.terminal.off('resize', this.redraw);
    this.statusText = '';
    this.input = undefined;
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.print(String(chunk));
    done();
  }

  private readonly redraw = (): void => {
    this.hide();
    this.show();
  };

  private hide(): void {
    if (!this.drawn) return;
    this.drawn = false;
    this.erase((this.input?.rowsAbove() ?? 0) + this.statusRows);
  }

  private erase(rows: number): void {
    moveCursor(this.terminal, 0, -rows);
    cursorTo(this.terminal, 0);
    clearScreenDown(this.terminal);
    this.statusRows = 0;
  }

  private show(): void {
    if (!this.isTerminal || this.drawn || (this.statusText === '' && this.input === undefined)) return;
    this.drawn = true;
    if (this.statusText !== '') {
      this.terminal.write(`${this.statusText.slice(0, this.columns - 1)}\n`);
      this.statusRows = 1;
    }
    this.input?.draw();
  }
}
