/** The part of the event loop's time that the peers of one address may use in the long run. */
const SHARE = 0.1;
/** Milliseconds that they may use at once. */
const BURST = 1_000;
/** Made to wait for so long in an hour, an address has asked for more than any honest peer does. Milliseconds. */
const PATIENCE = 60_000;
const FADE = PATIENCE / 3_600_000;

/** Work that we asked for ourselves is on nobody's account. */
export const ownWork: Pick<WorkBudget, 'measure'> = { measure: (work) => work() };

/**
 * The event loop's time that the peers of one address use, all in milliseconds. Who has used more than its share waits
 * until the rest of it has flowed in; who is made to wait too often is to be closed.
 */
export class WorkBudget {
  private left = BURST;
  private waited = 0;
  /** Work that is part of other work is measured with that. */
  private measuring = false;
  private at: number;

  constructor(
    /** Milliseconds; when the shares flow. */
    private readonly now: () => number,
    /** Milliseconds from any point on; what work is measured by. */
    private readonly stopwatch: () => number,
    /** So long an address may be made to wait in an hour before that is held against it, milliseconds. */
    private readonly patience = PATIENCE,
  ) {
    this.at = now();
  }

  /** Does a piece of work, up to where it first waits for something, on the account of the address. */
  measure<T>(work: () => T): T {
    if (this.measuring) return work();
    this.measuring = true;
    const start = this.stopwatch();
    try {
      return work();
    } finally {
      this.measuring = false;
      this.flow();
      this.left -= this.stopwatch() - start;
    }
  }

  /** How long to wait before anything more is done; 0 when nothing is owed. */
  owed(): number {
    this.flow();
    return this.left >= 0 ? 0 : Math.ceil(-this.left / SHARE);
  }

  /** Notes a wait. True when it was one too many. */
  note(milliseconds: number): boolean {
    this.flow();
    this.waited += milliseconds;
    if (this.waited <= this.patience) return false;
    this.waited = 0;
    return true;
  }

  private flow(): void {
    const now = this.now();
    const passed = Math.max(0, now - this.at);
    this.at = now;
    this.left = Math.min(BURST, this.left + passed * SHARE);
    this.waited = Math.max(0, this.waited - passed * FADE);
  }
}
