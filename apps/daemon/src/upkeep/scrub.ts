import { type ChainReader, CorruptDatabase } from '@wrkz/chain-db';
import type { Metrics } from '@wrkz/service-kit';
import type { DamageWatch } from '../damage/damage-watch';

const HOUR_MS = 3_600_000;
/** Milliseconds between two steps: each reads only some pages. */
const STEP_MS = 250;
/** Damaged pages that are remembered. Later ones are only logged. */
const MAX_REMEMBERED = 1_000;

export interface ScrubDependencies {
  readonly reader: Pick<ChainReader, 'fileSpace' | 'firstBadPage' | 'tableOfPage'>;
  readonly damage: Pick<DamageWatch, 'note'>;
  /** In [0, 1). */
  readonly random?: () => number;
}

export interface ScrubStatus {
  /** How often the end of the file was reached since the start. */
  readonly passes: number;
  /** Damaged pages, and the table or index of each where it is known. */
  readonly damaged: ReadonlyMap<number, string | undefined>;
}

/**
 * The scrub: reads every page of the database once within `hours` and compares it with its checksum, so that damage of data
 * that nobody reads is found while a backup or a peer still has it (docs/operations/daemon.md#damage). It begins at a random
 * page: a node that is restarted every day reads other pages each time.
 */
export class Scrub {
  readonly #damaged = new Map<number, string | undefined>();
  readonly #hours: number;
  #next: number;
  #passes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param hours 0: nothing is read */
  constructor(
    private readonly dependencies: ScrubDependencies,
    hours: number,
  ) {
    this.#hours = hours;
    const { pages } = dependencies.reader.fileSpace();
    this.#next = 1 + Math.floor((dependencies.random ?? Math.random)() * pages);
  }

  start(): void {
    if (this.#hours > 0) this.#timer = setInterval(() => this.step(), STEP_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get status(): ScrubStatus | undefined {
    return this.#hours > 0 ? { passes: this.#passes, damaged: this.#damaged } : undefined;
  }

  publish({ shared }: Metrics): void {
    shared.gauge(
      'wrkz_scrub_damaged_pages',
      'Pages that did not fit their checksum when they were last read',
      [],
      (own) => own.set(this.#damaged.size),
    );
    shared.counted('wrkz_scrub_passes_total', 'How often the scrub reached the end of the database', [
      [{}, () => this.#passes],
    ]);
  }

  /** Reads the pages that are due until the next step. Never throws. */
  step(): void {
    try {
      this.#read();
    } catch (error) {
      // Damage of the header, or a disk that cannot be read now: the next step tries again.
      this.dependencies.damage.note(error);
    }
  }

  #read(): void {
    const { reader } = this.dependencies;
    const { pages } = reader.fileSpace();
    const count = Math.ceil((pages * STEP_MS) / (this.#hours * HOUR_MS));
    const end = Math.min(this.#next + count, pages + 1);
    for (let from = this.#next; from < end;) {
      const bad = reader.firstBadPage(from, end - from);
      for (let page = from; page < (bad ?? end); page++) this.#damaged.delete(page);
      if (bad !== undefined) this.#report(bad);
      from = (bad ?? end) + 1;
    }
    this.#next = end;
    if (end <= pages) return;
    this.#next = 1;
    this.#passes++;
  }

  #report(page: number): void {
    if (this.#damaged.has(page)) return;
    const table = this.dependencies.reader.tableOfPage(page);
    if (this.#damaged.size < MAX_REMEMBERED) this.#damaged.set(page, table);
    const where = table === undefined ? '' : ` of ${table}`;
    this.dependencies.damage.note(new CorruptDatabase(`page ${String(page)}${where} does not fit its checksum`));
  }
}
