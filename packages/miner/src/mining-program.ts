import type { FoundNonce } from '@wrkz/crypto';
import {
  Closers,
  errorText,
  type Logger,
  loggerFromOptions,
  NODE_LOG_SCALE,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import type { MinerConfig } from './config';
import { HashRate, hashesPerSecondText } from './hash-rate';
import { NodeRpc } from './node-rpc';
import { NodeSource } from './node-source';
import { BlockSearch } from './block-search';
import type { ReconnectDelay } from './reconnect-delay';
import { StatusLine } from './status-line';
import { StratumSource } from './stratum-source';
import { type MiningWork, WorkRefused, type WorkSource } from './work';

/** For tests. */
export interface MinerOverrides {
  readonly logger?: Logger;
  readonly stream?: NodeJS.WriteStream;
  readonly reconnectDelay?: ReconnectDelay;
}

/** The miner: receives work, searches nonces, submits blocks or shares. */
export class MiningProgram implements Service {
  readonly logger: Logger;
  /** Resolves with the exit code after `--blocks` blocks, or when it was stopped. */
  readonly finished: Promise<number>;
  accepted = 0;
  refused = 0;
  private readonly closers = new Closers();
  private readonly rate = new HashRate();
  private readonly search: BlockSearch;
  private readonly line: StatusLine;
  private readonly source: WorkSource;
  private readonly stopping = new AbortController();
  private readonly submissions = new Set<Promise<void>>();
  private finish: (code: number) => void = () => undefined;

  constructor(
    private readonly config: MinerConfig,
    overrides: MinerOverrides = {},
  ) {
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: NODE_LOG_SCALE });
    this.finished = new Promise((resolve) => (this.finish = resolve));
    this.source = workSource(config, overrides.reconnectDelay);
    this.search = new BlockSearch({
      threads: config.threads,
      rate: this.rate,
      onFound: (work, found) => this.submit(work, found),
      onFailure: (error) => this.log('error', `the search failed: ${errorText(error)}`),
    });
    this.line = new StatusLine({
      stream: overrides.stream ?? process.stdout,
      write: (text) => this.logger.info(text),
      text: () => this.statusText(),
    });
    for (const warning of config.warnings) this.logger.warning(warning);
  }

  async start(): Promise<void> {
    const { from, threads } = this.config;
    const where = from.kind === 'solo' ? (from.node.socketPath ?? from.node.baseURL) : this.config.options.stratum;
    this.logger.info(
      `wrkz-miner ${VERSION} mines with ${String(threads)} ${threads === 1 ? 'thread' : 'threads'}; work from ${where ?? ''}`,
    );
    this.closers.add('the program', () => this.finish(0));
    this.line.start();
    this.closers.add('the status line', () => this.line.stop());
    const sourceEnded = this.source.run(
      {
        onWork: (work) => this.search.switchTo(work),
        onNotice: (level, text) => this.log(level, text),
      },
      this.stopping.signal,
    );
    sourceEnded.catch((error: unknown) => {
      this.log('error', `the source of work failed: ${errorText(error)}`);
      this.finish(1);
    });
    this.closers.add('the source of work', () => {
      this.stopping.abort();
      return sourceEnded.catch(() => undefined); // reported above
    });
    this.closers.add('the submissions', () => Promise.all(this.submissions));
    this.closers.add('the search', () => this.search.stop());
  }

  /** Stops the search, then waits for pending submissions. @throws AggregateError after everything else is closed */
  stop(): Promise<void> {
    return this.closers.closeAll();
  }

  /** Text of the status line. */
  statusText(): string {
    const height = this.search.work?.height;
    const at = this.search.work === undefined ? 'no work' : height === undefined ? '' : `block ${String(height)}`;
    const found = `${String(this.accepted)} accepted, ${String(this.refused)} refused`;
    return [hashesPerSecondText(this.rate.perSecond()), at, found].filter((part) => part !== '').join(' | ');
  }

  private submit(work: MiningWork, found: FoundNonce): void {
    if (this.isEnough()) return;
    const submission = work.submit(found).then(
      () => this.onAccepted(work),
      (error: unknown) => {
        this.refused += 1;
        const what = error instanceof WorkRefused ? 'was refused' : 'could not be submitted';
        this.log('warning', `${nameOf(work)} ${what}: ${errorText(error)}`);
      },
    );
    this.submissions.add(submission);
    void submission.finally(() => this.submissions.delete(submission));
  }

  private onAccepted(work: MiningWork): void {
    this.accepted += 1;
    this.log('info', `${nameOf(work)} accepted`);
    const { blocks } = this.config.options;
    if (blocks > 0 && this.accepted >= blocks) this.finish(0);
  }

  /** Whether `--blocks` is reached. Pending submissions count: after a refused one there is new work soon. */
  private isEnough(): boolean {
    const { blocks } = this.config.options;
    return blocks > 0 && this.accepted + this.submissions.size >= blocks;
  }

  private log(level: 'info' | 'warning' | 'error', text: string): void {
    this.line.above(() => this.logger[level](text));
  }
}

function nameOf({ height, isShare }: MiningWork): string {
  const block = height === undefined ? 'block' : `block ${String(height)}`;
  return isShare ? `share for ${block}` : block;
}

function workSource({ from, address, options }: MinerConfig, reconnectDelay: ReconnectDelay | undefined): WorkSource {
  if (from.kind === 'stratum') {
    return new StratumSource({ endpoint: from.pool, address, rigId: options['rig-id'], reconnectDelay });
  }
  const rpc = new NodeRpc(from.node, options['access-token']);
  return new NodeSource(rpc, { address, pollIntervalMs: options['poll-interval'] * 1000, reconnectDelay });
}
