import { blocksOfPage, type ChainReader, CorruptDatabase, pageText } from '@wrkz/chain-db';
import type { Metrics } from '@wrkz/service-kit';
import type { ChainUpkeep } from '../chain/service';
import type { DamageWatch } from '../damage/damage-watch';
import type { DamageEvent, NodeEvents } from '../events/node-events';
import { PeerBlocks, type PeerSource } from '../repair/peer-blocks';

const HOUR_MS = 3_600_000;
/** Milliseconds between two steps. */
const STEP_MS = 250;
/** Max milliseconds per step; the rest of the due pages is left to the next step. */
const BUDGET_MS = 5;
/** Max remembered damaged pages. Further ones are only logged. */
const MAX_REMEMBERED = 1_000;
/** Max blocks fetched for one page. A page that needs more requires `--repair`. */
const MAX_BLOCKS = 2_000;
/** Milliseconds to wait for a new peer. */
const PATIENCE_MS = 30_000;

export interface ScrubDependencies {
  readonly reader: Pick<ChainReader, 'fileSpace' | 'firstBadPage' | 'pageLocation'>;
  readonly damage: Pick<DamageWatch, 'note'>;
  readonly events: Pick<NodeEvents, 'publishDamage'>;
  /** Repairs a page with blocks from peers. @returns whether it did */
  readonly repair: (page: number) => Promise<boolean>;
  readonly log: (line: string) => void;
  /** In [0, 1). */
  readonly random?: () => number;
}

export interface ScrubStatus {
  /** Number of complete passes since the start. */
  readonly passes: number;
  /** Damaged pages, each with its table and blocks if known. */
  readonly damaged: ReadonlyMap<number, string>;
}

/**
 * The scrub reads every page of the database once within `hours` and compares it with its checksum. So damage of rarely read data
 * is found while a backup or a peer still has the data (docs/operations/daemon.md#damage). A pass starts at a random page, so
 * that a node that is restarted daily reads different pages each time. A page that can be repaired in place
 * (docs/protocol/storage.md#repair) is repaired immediately or in a later pass.
 */
export class Scrub {
  private readonly damaged = new Map<number, string>();
  private readonly repairing = new Set<number>();
  private readonly hours: number;
  private next: number;
  /** Number of due pages, including a fraction. */
  private due = 0;
  private read = 0;
  /** Counted here: status and metrics must not depend on the file header, which may be damaged. */
  private passes = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param hours duration of a pass; 0 disables the scrub */
  constructor(
    private readonly dependencies: ScrubDependencies,
    hours: number,
  ) {
    this.hours = hours;
    const { pages } = dependencies.reader.fileSpace();
    this.next = 1 + Math.floor((dependencies.random ?? Math.random)() * pages);
  }

  start(): void {
    if (this.hours > 0) this.timer = setInterval(() => this.step(), STEP_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  get status(): ScrubStatus | undefined {
    if (this.hours === 0) return undefined;
    return { passes: this.passes, damaged: this.damaged };
  }

  publish({ shared }: Metrics): void {
    shared.gauge('wrkz_scrub_damaged_pages', 'Pages whose checksum did not match when they were last read', [], (own) =>
      own.set(this.damaged.size),
    );
    shared.counted('wrkz_scrub_passes_total', 'How often the scrub read all pages of the database', [
      [{}, () => this.passes],
    ]);
  }

  /** Reads the due pages, within the time limit of a step. Never throws. */
  step(): void {
    try {
      this.readDue();
    } catch (error) {
      // The header is damaged, or the disk cannot be read now: retried in the next step.
      this.dependencies.damage.note(error);
    }
  }

  private readDue(): void {
    const { reader } = this.dependencies;
    const { pages } = reader.fileSpace();
    this.due = Math.min(this.due + (pages * STEP_MS) / (this.hours * HOUR_MS), pages);
    const start = performance.now();
    while (this.due > 0 && performance.now() - start < BUDGET_MS) {
      if (this.next > pages) this.next = 1;
      const page = this.next++;
      this.due--;
      this.passes = Math.floor(++this.read / pages);
      if (reader.firstBadPage(page, 1) === undefined) this.damaged.delete(page);
      else this.report(page);
    }
  }

  /** Reports a page once. Its repair is retried in each pass: other peers may be connected by then. */
  private report(page: number): void {
    if (this.repairing.has(page)) return;
    const { reader, damage, events } = this.dependencies;
    const location = reader.pageLocation(page);
    const text = pageText(page, location);
    const event = { page, table: location?.owner.table, heights: location?.heights };
    if (!this.damaged.has(page)) {
      if (this.damaged.size < MAX_REMEMBERED) this.damaged.set(page, text);
      damage.note(new CorruptDatabase(`${text} does not fit its checksum`));
      events.publishDamage({ ...event, isRepaired: false });
    }
    if (location?.source !== undefined) void this.repair(text, event);
  }

  private async repair(text: string, event: Omit<DamageEvent, 'kind' | 'isRepaired'>): Promise<void> {
    const { repair, events, log } = this.dependencies;
    const { page } = event;
    this.repairing.add(page);
    const isRepaired = await repair(page).catch(() => false);
    this.repairing.delete(page);
    if (!isRepaired) return;
    this.damaged.delete(page);
    log(`${text} of the database did not fit its checksum and was repaired`);
    events.publishDamage({ ...event, isRepaired: true });
  }
}

/** Repairs pages with blocks from peers, one after the other: their blocks are in memory. */
export function pageRepair(
  reader: ChainReader,
  chain: Pick<ChainUpkeep, 'repairPage'>,
  peers: PeerSource,
  signal: AbortSignal,
): ScrubDependencies['repair'] {
  const fetcher = new PeerBlocks(peers, { patienceMs: PATIENCE_MS, signal });
  let last: Promise<unknown> = Promise.resolve();
  const repair = async (page: number): Promise<boolean> => {
    const wanted = blocksOfPage(reader, page);
    if (wanted === undefined || wanted.length > MAX_BLOCKS) return false;
    const heights = new Map(wanted.map(({ height, id }) => [id.toString('hex'), height]));
    const blocks = (await fetcher.fetch(wanted)).flatMap(({ id, raw }) => {
      const height = heights.get(id.toString('hex'));
      return height === undefined ? [] : [{ height, raw }];
    });
    return blocks.length === wanted.length && chain.repairPage(page, blocks);
  };
  return (page) => {
    const repaired = last.then(() => repair(page));
    last = repaired.catch(() => undefined);
    return repaired;
  };
}
