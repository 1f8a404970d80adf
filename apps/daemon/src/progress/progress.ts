import type { Opening } from '@wrkz/chain-db';
import type { Logger } from '@wrkz/service-kit';
import { Format, Presets, SingleBar } from 'cli-progress';
import type { ChainService, CommitEvent } from '../chain/service';

/** Interval of progress lines without a terminal. */
const LINE_INTERVAL_MS = 30_000;
/** Time window of the rate. */
const RATE_WINDOW_MS = 30_000;
/** Update interval of the bar above a prompt. */
const BAR_INTERVAL_MS = 250;
const BAR_WIDTH = 16;

export interface ProgressOptions {
  /** For example `Synchronizing`. */
  readonly label: string;
  /** The unit of the counts. Default: blocks. */
  readonly unit?: string;
  readonly write: (line: string) => void;
  /** A terminal shows a bar; otherwise lines go to `write`. */
  readonly stream?: NodeJS.WriteStream;
  /** If it is a terminal, it shows the bar above the prompt, instead of `stream`. */
  readonly screen?: { readonly isTerminal: boolean; status(text: string): void };
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Reports progress with rate and remaining time: as a bar on a terminal, otherwise as a line every 30 s. */
export class BlockProgress {
  private readonly now: () => number;
  private bar: SingleBar | undefined;
  private samples: { at: number; height: number }[] = [];
  private lastLine = 0;
  private started = false;

  constructor(private readonly options: ProgressOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  get active(): boolean {
    return this.started;
  }

  /** The first call starts the display. Heights are counts of blocks. */
  update(height: number, target: number): void {
    const at = this.now();
    if (!this.started) this.begin(at, height, Math.max(target, height));
    this.samples.push({ at, height });
    while (this.samples.length > 2 && at - (this.samples[0]?.at ?? at) > RATE_WINDOW_MS) this.samples.shift();
    const total = Math.max(target, height);
    if (this.options.screen?.isTerminal === true) {
      if (at - this.lastLine < BAR_INTERVAL_MS) return;
      this.lastLine = at;
      this.options.screen.status(this.barText(height, total));
    } else if (this.bar !== undefined) {
      this.bar.setTotal(total);
      this.bar.update(height, { rate: this.rateText(), left: this.leftText(total - height) });
    } else if (at - this.lastLine >= LINE_INTERVAL_MS) {
      this.lastLine = at;
      this.options.write(this.line(height, total));
    }
  }

  /** Ends the display and writes the summary as a line. */
  stop(summary?: string): void {
    this.bar?.stop();
    this.bar = undefined;
    this.options.screen?.status('');
    this.started = false;
    this.samples = [];
    if (summary !== undefined) this.options.write(summary);
  }

  /** Blocks per second over the rate window. */
  rate(): number {
    const first = this.samples[0];
    const last = this.samples.at(-1);
    if (first === undefined || last === undefined || last.at <= first.at) return 0;
    return Math.max(0, ((last.height - first.height) * 1000) / (last.at - first.at));
  }

  private begin(at: number, height: number, total: number): void {
    this.started = true;
    this.lastLine = at;
    if (this.options.stream?.isTTY !== true) return;
    this.bar = new SingleBar(
      {
        format: this.format,
        stream: this.options.stream,
        hideCursor: true,
        fps: 4,
      },
      Presets.shades_classic,
    );
    this.bar.start(Math.max(1, total), height, { rate: this.rateText(), left: this.leftText(total - height) });
  }

  private get unit(): string {
    return this.options.unit ?? 'blocks';
  }

  private get format(): string {
    return `${this.options.label} {bar} {percentage}% | {value}/{total} ${this.unit} | {rate} | {left} left`;
  }

  private barText(height: number, total: number): string {
    const { barCompleteChar, barIncompleteChar } = Presets.shades_classic;
    const options = {
      format: this.format,
      barsize: BAR_WIDTH,
      barGlue: '',
      autopaddingChar: '   ',
      barCompleteString: barCompleteChar.repeat(BAR_WIDTH),
      barIncompleteString: barIncompleteChar.repeat(BAR_WIDTH),
    };
    const progress = total === 0 ? 1 : height / total;
    const params = { progress, eta: 0, startTime: 0, stopTime: 0, total, value: height, maxWidth: 0 };
    return Format.Formatter(options, params, { rate: this.rateText(), left: this.leftText(total - height) });
  }

  private line(height: number, total: number): string {
    const percent = total === 0 ? 100 : Math.floor((height * 1000) / total) / 10;
    return (
      `${this.options.label}: ${String(height)} of ${String(total)} ${this.unit} (${percent.toFixed(1)} %), ` +
      `${this.rateText()}, ${this.leftText(total - height)} left`
    );
  }

  private rateText(): string {
    const rate = this.rate();
    return `${rate >= 100 ? rate.toFixed(0) : rate.toFixed(1)} ${this.unit}/s`;
  }

  private leftText(blocks: number): string {
    const rate = this.rate();
    return rate === 0 ? 'unknown' : durationText(blocks / rate);
  }
}

/** Seconds as text: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 120) return `${String(whole)} s`;
  const minutes = Math.ceil(whole / 60);
  if (minutes < 120) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${String(hours)} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${String(Math.floor(hours / 24))} d ${String(hours % 24)} h`;
}

/** Min number of blocks behind the network to show the progress. */
const MIN_BLOCKS_BEHIND = 20;

export interface SyncProgressOptions {
  readonly chain: ChainService;
  /** Counts of blocks. */
  readonly peers: { networkHeight(): number };
  readonly write: (line: string) => void;
  readonly screen: NonNullable<ProgressOptions['screen']>;
}

/** Shows the progress of a synchronization while the node is behind the network. */
export class SyncProgressDisplay {
  private readonly display: BlockProgress;
  private readonly onCommit = (event: CommitEvent): void => this.update(event.tip.height + 1);

  constructor(private readonly options: SyncProgressOptions) {
    this.display = new BlockProgress({ label: 'Synchronizing', write: options.write, screen: options.screen });
    options.chain.on('commit', this.onCommit);
  }

  stop(): void {
    this.options.chain.off('commit', this.onCommit);
    this.display.stop();
  }

  private update(count: number): void {
    const target = this.options.peers.networkHeight();
    if (!this.display.active && target - count < MIN_BLOCKS_BEHIND) return;
    if (count >= target) return this.display.stop(`Synchronized: ${String(count)} blocks`);
    this.display.update(count, target);
  }
}

/**
 * Returns a function that prints a line for the operator: through the log if it shows info lines, otherwise directly to the
 * terminal (the default log level hides info lines).
 */
export function notices(logger: Logger, stream: Pick<NodeJS.WritableStream, 'write'>): (line: string) => void {
  return (line) => {
    if (logger.enabled('info') || logger.level === 'disabled') logger.info(line);
    else stream.write(`${line}\n`);
  };
}

/** Lines for the operator about the recovery when the database was opened; none after a clean stop. */
export function openingLines({ cleanStop, checked }: Opening): string[] {
  return cleanStop
    ? []
    : [`The last stop was not clean: the highest ${String(checked)} blocks were checked and are intact`];
}
