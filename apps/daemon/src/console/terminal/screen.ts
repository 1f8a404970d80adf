import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';

/** The line that is being typed, as the screen needs it. */
export interface TypedLine {
  /** Rows above the one in which the cursor stands. */
  rowsAbove(): number;
  draw(): void;
}

/**
 * What stands at the lower end of a terminal: a line that tells how something goes, and below it the prompt. Whatever else
 * is written, by the log or by commands, goes above them. Where there is no terminal it is written as it is.
 */
export class Screen extends Writable {
  private statusText = '';
  private typed: TypedLine | undefined;
  /** Rows that the status line took when it was drawn; 0 while none stands there. */
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

  /** Writes text above what stands at the end; it ends with a line end. */
  print(text: string): void {
    if (text === '') return;
    const ended = text.endsWith('\n') ? text : `${text}\n`;
    this.hide();
    this.terminal.write(ended);
    this.show();
  }

  /** Shows a line above the prompt, in the place of the one before; empty for none. */
  status(text: string): void {
    if (!this.isTerminal || text === this.statusText) return;
    this.hide();
    this.statusText = text;
    this.show();
  }

  /** Keeps a prompt at the lower end; undefined for none any more. */
  prompt(typed: TypedLine | undefined): void {
    this.hide();
    this.typed = typed;
    this.show();
  }

  /** What was typed was sent: the cursor stands in the row below it. The line stays, and what follows comes below it. */
  entered(rows: number, text: string): void {
    if (!this.isTerminal) return;
    this.erase(rows + this.statusRows);
    this.drawn = false;
    this.print(text);
  }

  /** Leaves the terminal as it was. */
  close(): void {
    this.hide();
    this.terminal.off('resize', this.redraw);
    this.statusText = '';
    this.typed = undefined;
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
    this.erase((this.typed?.rowsAbove() ?? 0) + this.statusRows);
  }

  private erase(rows: number): void {
    moveCursor(this.terminal, 0, -rows);
    cursorTo(this.terminal, 0);
    clearScreenDown(this.terminal);
    this.statusRows = 0;
  }

  private show(): void {
    if (!this.isTerminal || this.drawn || (this.statusText === '' && this.typed === undefined)) return;
    this.drawn = true;
    if (this.statusText !== '') {
      this.terminal.write(`${this.statusText.slice(0, this.columns - 1)}\n`);
      this.statusRows = 1;
    }
    this.typed?.draw();
  }
}
