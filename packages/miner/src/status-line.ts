/** Log interval of the status without a terminal. */
const LOG_INTERVAL_MS = 60_000;
const REDRAW_INTERVAL_MS = 1_000;

export interface StatusLineOptions {
  /** Draws the status line here if this is a terminal. */
  readonly stream: NodeJS.WriteStream;
  /** Logs the status otherwise. */
  readonly write: (text: string) => void;
  readonly text: () => string;
}

/** Status line at the bottom of a terminal, redrawn each second below the log lines. */
export class StatusLine {
  private timer: NodeJS.Timeout | undefined;
  private shown = false;

  constructor(private readonly options: StatusLineOptions) {}

  start(): void {
    const { stream, write, text } = this.options;
    this.timer = stream.isTTY
      ? setInterval(() => this.draw(), REDRAW_INTERVAL_MS)
      : setInterval(() => write(text()), LOG_INTERVAL_MS);
  }

  /** Erases the line, calls `write`, and redraws the line below. */
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
