import type { Opening } from '@wrkz/chain-db';
import type { Logger } from '@wrkz/service-kit';
import type { ChainService, CommitEvent } from '../chain/service';

/** Interval of progress lines without a terminal. */
const LINE_INTERVAL_MS = 30_000;
/** Time window of the rate. */
const RATE_WINDOW_MS = 30_000;
/** Update interval of the bar. */
const BAR_INTERVAL_MS = 250;
const BAR_WIDTH = 16;

export interface ProgressOptions {
  /** For example `Synchronizing`. */
  readonly label: string;
  /** The unit of the counts. Default: blocks. */
  readonly unit?: string;
  readonly write: (line: string) => void;
  /** A terminal shows a bar above the prompt; otherwise lines go to `write`. */
  readonly screen: { readonly isTerminal: boolean; status(text: string): void };
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Reports progress with rate and remaining time: as a bar on a terminal, otherwise as a line every 30 s. */
export class BlockProgress {
  private readonly now: () => number;
  private samples: { at: number; height: number }[] = [];
  private lastShown = 0;
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
    if (!this.started) this.lastShown = at;
    this.started = true;
    this.samples.push({ at, height });
    while (this.samples.length > 2 && at - (this.samples[0]?.at ?? at) > RATE_WINDOW_MS) this.samples.shift();
    const total = Math.max(target, height);
    const { screen, write } = this.options;
    if (at - this.lastShown < (screen.isTerminal ? BAR_INTERVAL_MS : LINE_INTERVAL_MS)) return;
    this.lastShown = at;
    if (screen.isTerminal) screen.status(this.barText(height, total));
    else write(this.line(height, total));
  }

  /** Ends the display and writes the summary as a line. */
  stop(summary?: string): void {
    this.options.screen.status('');
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

  private get unit(): string {
    return this.options.unit ?? 'blocks';
  }

  private barText(height: number, total: number): string {
    const share = total === 0 ? 1 : height / total;
    const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
    const counts = `${String(height)}/${String(total)} ${this.unit}`;
    const percent = `${String(Math.floor(share * 100))}%`;
    return `${this.options.label} ${bar} ${percent} | ${counts} | ${this.rateText()} | ${this.leftText(total - height)} left`;
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
  readonly screen: ProgressOptions['screen'];
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
