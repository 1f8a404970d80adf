import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { Prompt } from '../../src/console/terminal/prompt';
import { Screen } from '../../src/console/terminal/screen';

/* The prompt on an emulated terminal: which text is in which row after output above the line. */

const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(`^${ESCAPE}\\[(\\d*)([A-Z])$`);
const SEQUENCE_OR_CHARACTER = new RegExp(`${ESCAPE}\\[\\d*[A-Z]|[^]`, 'g');

/** A terminal that wraps text and understands the sequences that readline writes; with `resize` it wraps every line again. */
class Terminal extends Writable {
  readonly isTTY = true;
  private rows: { text: string; isWrapped: boolean }[] = [{ text: '', isWrapped: false }];
  private row = 0;
  private column = 0;

  constructor(public columns: number) {
    super({ decodeStrings: false });
  }

  get stream(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream;
  }

  get lines(): string[] {
    return this.rows.map(({ text }) => text.trimEnd());
  }

  get cursor(): readonly [row: number, column: number] {
    return [this.row, this.column];
  }

  resize(columns: number): void {
    const old = this.rows;
    this.columns = columns;
    this.rows = [];
    let [row, column] = [0, 0];
    let start = 0;
    old.forEach(({ text, isWrapped }, i) => {
      if (!isWrapped) start = this.rows.push({ text: '', isWrapped: false }) - 1;
      const before = this.rows.slice(start).reduce((sum, one) => sum + one.text.length, 0);
      if (i === this.row) [row, column] = [start + Math.floor((before + this.column) / columns), 0];
      if (i === this.row) column = (before + this.column) % columns;
      for (const character of text) {
        if (this.rows.at(-1)!.text.length >= columns) this.rows.push({ text: '', isWrapped: true });
        this.rows.at(-1)!.text += character;
      }
    });
    [this.row, this.column] = [row, column];
    while (this.rows.length <= row) this.rows.push({ text: '', isWrapped: false });
    this.emit('resize');
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    for (const [token] of String(chunk).matchAll(SEQUENCE_OR_CHARACTER)) this.interpret(token);
    done();
  }

  private interpret(token: string): void {
    const [, digits = '', command] = SEQUENCE.exec(token) ?? [];
    const count = digits === '' ? 1 : Number(digits);
    if (command === 'A') this.row = Math.max(0, this.row - count);
    else if (command === 'C') this.column += count;
    else if (command === 'D') this.column = Math.max(0, this.column - count);
    else if (command === 'G') this.column = count - 1;
    else if (command === 'J') this.clearDown();
    else if (token === '\r') this.column = 0;
    else if (token === '\n') [this.row, this.column] = [this.row + 1, 0];
    else this.put(token);
    while (this.rows.length <= this.row) this.rows.push({ text: '', isWrapped: false });
  }

  private put(character: string): void {
    if (this.column >= this.columns) {
      [this.row, this.column] = [this.row + 1, 0];
      this.rows[this.row] = { text: this.rows[this.row]?.text ?? '', isWrapped: true };
    }
    const row = this.rows[this.row]!;
    const text = row.text.padEnd(this.column);
    row.text = text.slice(0, this.column) + character + text.slice(this.column + 1);
    this.column += 1;
  }

  private clearDown(): void {
    this.rows = this.rows.slice(0, this.row + 1);
    this.rows[this.row] = { ...this.rows[this.row]!, text: this.rows[this.row]!.text.slice(0, this.column) };
  }
}

class Session {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly entered: string[] = [];
  private readonly keys = new PassThrough();
  private readonly prompt: Prompt;

  constructor(columns: number) {
    this.terminal = new Terminal(columns);
    this.screen = new Screen(this.terminal.stream);
    const input = Object.assign(this.keys, { setRawMode: () => input }) as unknown as NodeJS.ReadStream;
    const nothing = (): void => undefined;
    const onLine = (line: string): void => void this.entered.push(line);
    this.prompt = new Prompt(input, this.screen, '> ', { onLine, onInterrupt: nothing, onEnd: nothing });
  }

  /** Types keys, and waits until readline has drawn the last one. @param shown the text that the terminal then contains */
  async type(keys: string, shown: string): Promise<void> {
    this.keys.write(keys);
    while (!this.terminal.lines.join('').includes(shown)) await once(this.terminal, 'drawn');
  }

  close(): void {
    this.prompt.close();
    this.screen.close();
  }
}

let open: Session | undefined;
afterEach(() => open?.close());

function session(columns: number): Session {
  open = new Session(columns);
  const { terminal } = open;
  const write = terminal._write.bind(terminal);
  terminal._write = (chunk: Buffer | string, encoding: BufferEncoding, done: () => void) => {
    write(chunk, encoding, done);
    setImmediate(() => terminal.emit('drawn'));
  };
  return open;
}

test('output is printed above a line that is being typed', async () => {
  const { terminal, screen, type } = bound(session(40));
  await type('status', '> status');
  screen.print('first\nsecond\n');
  expect(terminal.lines).toEqual(['first', 'second', '> status']);
  expect(terminal.cursor).toEqual([2, 8]);
});

test('output is printed above a line of several rows, wherever the cursor is in it', async () => {
  const { terminal, screen, type } = bound(session(10));
  await type('abcdefghijklmnopqrstuvw', 'uvw');
  screen.print('one\n');
  expect(terminal.lines).toEqual(['one', '> abcdefgh', 'ijklmnopqr', 'stuvw']);
  await type('\u0001X', '> Xabcdefg');
  screen.print('two\n');
  expect(terminal.lines).toEqual(['one', 'two', '> Xabcdefg', 'hijklmnopq', 'rstuvw']);
  expect(terminal.cursor).toEqual([2, 3]);
  await type('\u0005Y', 'rstuvwY');
  screen.print('three\n');
  expect(terminal.lines).toEqual(['one', 'two', 'three', '> Xabcdefg', 'hijklmnopq', 'rstuvwY']);
});

test('the status line is above the prompt and below the output', async () => {
  const { terminal, screen, type } = bound(session(10));
  screen.status('10 %');
  await type('abcdefghijkl', 'ijkl');
  screen.print('one\n');
  screen.status('20 %');
  expect(terminal.lines).toEqual(['one', '20 %', '> abcdefgh', 'ijkl']);
  screen.status('');
  expect(terminal.lines).toEqual(['one', '> abcdefgh', 'ijkl']);
});

test('an entered line stays above the output of its command', async () => {
  const { terminal, screen, entered, type } = bound(session(10));
  screen.status('10 %');
  await type('abcdefghijkl\r', 'ijkl10 %>');
  expect(entered).toEqual(['abcdefghijkl']);
  screen.print('done\n');
  expect(terminal.lines).toEqual(['> abcdefgh', 'ijkl', 'done', '10 %', '>']);
});

test.each([10, 20, 37])('after a resize to %d columns output is printed above the line', async (columns) => {
  const { terminal, screen, type } = bound(session(14));
  const typed = 'abcdefghijklmnopqrstuvwxyz0123456789';
  screen.print('one\n');
  await type(typed, '6789');
  terminal.resize(columns);
  screen.print('two\n');
  const rows = Array.from({ length: Math.ceil((typed.length + 2) / columns) }, (_, i) =>
    `> ${typed}`.slice(i * columns, (i + 1) * columns),
  );
  expect(terminal.lines).toEqual(['one', 'two', ...rows]);
});

/** Methods that may be destructured. */
function bound(one: Session): Pick<Session, 'terminal' | 'screen' | 'entered' | 'type'> {
  const { terminal, screen, entered } = one;
  return { terminal, screen, entered, type: (keys, shown) => one.type(keys, shown) };
}
