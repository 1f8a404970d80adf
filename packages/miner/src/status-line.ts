/** How often a line is written where there is no terminal. Milliseconds. */
const LINE_INTERVAL = 60_000;
const REDRAW = 1_000;

export interface StatusLineOptions {
  /** The line is drawn here when it is a terminal. */
  readonly stream: NodeJS.WriteStream;
  /** Where the line goes from time to time when it is none. */
  readonly write: (text: string) => void;
  readonly text: () => string;
}

/** One line at the bottom of a terminal that is drawn anew each second, and gives way to what is written above it. */
export class StatusLine {
  private timer: NodeJS.Timeout | undefined;
  private shown = false;

  constructor(private readonly options: StatusLineOptions) {}

  start(): void {
    const { stream, write, text } = this.options;
    this.timer = stream.isTTY
      ? setInterval(() => this.draw(), REDRAW)
      : setInterval(() => write(text()), LINE_INTERVAL);
  }

  /** Writes something where the line stands; the line comes back below. */
  above(write: () => void): void {
    this.clear();
    write();
    if (this.timer !== undefined && this.options.stream.isTTY) this.draw();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.clear();
  }

  private draw(): void {
    const { stream, text } = this.options;
    const width = Math.max(1, (stream.columns || 80) - 1);
    stream.write(`\r\x1b[2K${text().slice(0, width)}`);
    this.shown = true;
  }

  private clear(): void {
    if (this.shown) this.options.stream.write('\r\x1b[2K');
    this.shown = false;
  }
}
