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
import type { ReconnectDelay } from './back-off';
import type { MinerConfig } from './config';
import { HashRate, hashesPerSecondText } from './hash-rate';
import { NonceHunt } from './nonce-hunt';
import { NodeRpc } from './solo/node-rpc';
import { SoloSource } from './solo/solo-source';
import { StatusLine } from './status-line';
import { StratumSource } from './stratum/stratum-source';
import { type MiningWork, WorkRefused, type WorkSource } from './work';

/** What a test may put in the place of the real thing. */
export interface MinerOverrides {
  readonly logger?: Logger;
  readonly stream?: NodeJS.WriteStream;
  readonly backOff?: ReconnectDelay;
}

/** The miner: takes work, searches, hands in what it finds. `create`, then `start`, then `stop`. */
export class MiningProgram implements Service {
  readonly logger: Logger;
  /** Resolves when it has found what it was asked for, or was stopped. */
  readonly finished: Promise<number>;
  accepted = 0;
  refused = 0;
  private readonly closers = new Closers();
  private readonly rate = new HashRate();
  private readonly hunt: NonceHunt;
  private readonly line: StatusLine;
  private readonly source: WorkSource;
  private readonly stopping = new AbortController();
  private readonly submissions = new Set<Promise<void>>();
  private finish: (code: number) => void = () => undefined;

  private constructor(
    private readonly config: MinerConfig,
    overrides: MinerOverrides,
  ) {
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: NODE_LOG_SCALE });
    this.finished = new Promise((resolve) => (this.finish = resolve));
    this.source = workSource(config, overrides.backOff);
    this.hunt = new NonceHunt({
      threads: config.threads,
      rate: this.rate,
      onFound: (work, found) => this.handIn(work, found),
      onFailure: (error) => this.tell('error', `the search failed: ${errorText(error)}`),
    });
    this.line = new StatusLine({
      stream: overrides.stream ?? process.stdout,
      write: (text) => this.logger.info(text),
      text: () => this.statusText(),
    });
    for (const warning of config.warnings) this.logger.warning(warning);
  }

  static create(config: MinerConfig, overrides: MinerOverrides = {}): MiningProgram {
    return new MiningProgram(config, overrides);
  }

  async start(): Promise<void> {
    const { from, threads } = this.config;
    const where = from.kind === 'solo' ? (from.node.socketPath ?? from.node.baseURL) : this.config.options.stratum;
    this.logger.info(
      `wrkz-miner ${VERSION} mines with ${String(threads)} ${threads === 1 ? 'thread' : 'threads'}; work from ${where ?? ''}`,
    );
    this.closers.add('the run', () => this.finish(0));
    this.line.start();
    this.closers.add('the status line', () => this.line.stop());
    const sourceEnded = this.source.run(
      {
        onWork: (work) => this.hunt.switchTo(work),
        onNotice: (level, text) => this.tell(level, text),
      },
      this.stopping.signal,
    );
    sourceEnded.catch((error: unknown) => {
      this.tell('error', `no more work: ${errorText(error)}`);
      this.finish(1);
    });
    this.closers.add('the source of work', () => {
      this.stopping.abort();
      return sourceEnded.catch(() => undefined); // reported above
    });
    this.closers.add('the submissions', () => Promise.all(this.submissions));
    this.closers.add('the search', () => this.hunt.stop());
  }

  /** Ends the search, then waits for the submissions under way. @throws AggregateError after everything else is closed */
  stop(): Promise<void> {
    return this.closers.closeAll();
  }

  /** What the line on the terminal says. */
  statusText(): string {
    const height = this.hunt.present?.height;
    const at = this.hunt.present === undefined ? 'no work' : height === undefined ? '' : `block ${String(height)}`;
    const found = `${String(this.accepted)} accepted, ${String(this.refused)} refused`;
    return [hashesPerSecondText(this.rate.perSecond()), at, found].filter((part) => part !== '').join(' | ');
  }

  private handIn(work: MiningWork, found: FoundNonce): void {
    if (this.isEnough(work)) return;
    const submission = work.submit(found).then(
      () => this.tellAccepted(work),
      (error: unknown) => {
        this.refused += 1;
        const what = error instanceof WorkRefused ? 'was refused' : 'could not be handed in';
        this.tell('warning', `what was found ${what}: ${errorText(error)}`);
      },
    );
    this.submissions.add(submission);
    void submission.finally(() => this.submissions.delete(submission));
  }

  private tellAccepted({ height, manyNonces }: MiningWork): void {
    this.accepted += 1;
    const block = height === undefined ? 'block' : `block ${String(height)}`;
    this.tell('info', `${manyNonces ? `share for ${block}` : block} accepted`);
    const { blocks } = this.config.options;
    if (blocks > 0 && this.accepted >= blocks) this.finish(0);
  }

  /** Whether no more is asked for. A share counts from when it is sent: another is found soon if it is refused. */
  private isEnough({ manyNonces }: MiningWork): boolean {
    const { blocks } = this.config.options;
    return blocks > 0 && this.accepted + (manyNonces ? this.submissions.size : 0) >= blocks;
  }

  private tell(level: 'info' | 'warning' | 'error', text: string): void {
    this.line.above(() => this.logger[level](text));
  }
}

function workSource({ from, address, options }: MinerConfig, backOff: ReconnectDelay | undefined): WorkSource {
  if (from.kind === 'stratum') {
    return new StratumSource({ endpoint: from.pool, address, rigId: options['rig-id'] }, backOff);
  }
  const rpc = new NodeRpc(from.node, options['access-token']);
  return new SoloSource(rpc, { address, pollInterval: options['poll-interval'] * 1000 }, backOff);
}
