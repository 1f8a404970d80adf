/** Milliseconds between two checks of the disk while nothing is written. */
const INTERVAL = 500;

/**
 * Holds blocks back while the disk has too little free space, so that a commit never meets a full disk. The blocks wait in
 * memory and continue when space is free again.
 */
export class SpaceGate {
  private why: string | undefined;
  private wakeUp: () => void = () => undefined;
  private recheck: NodeJS.Timeout | undefined;
  private isStopped = false;

  /**
   * @param complaint why nothing can be written now; undefined when it can. It receives whether the gate is closed: opening
   *   needs a little more space
   * @param onChange called with the reason when the gate closes, and with undefined when it opens
   */
  constructor(
    private readonly complaint: (closed: boolean) => string | undefined,
    private readonly onChange: (why: string | undefined) => void,
  ) {}

  /** Why the gate was closed at the last check. */
  get closed(): string | undefined {
    return this.why;
  }

  /** Checks the disk; costs some microseconds. */
  isOpen(): boolean {
    const why = this.complaint(this.why !== undefined);
    const changed = (why === undefined) !== (this.why === undefined);
    this.why = why;
    if (changed) this.onChange(why);
    // Without waiting blocks nothing else would notice that space is free again.
    if (why !== undefined && !this.isStopped) this.recheck ??= setTimeout(() => this.checkAgain(), INTERVAL).unref();
    return why === undefined;
  }

  /** Ends the checks of a closed gate. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.recheck);
  }

  private checkAgain(): void {
    this.recheck = undefined;
    this.isOpen();
  }

  /** Resolves when the next check is due, or at `wake`. */
  async wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, INTERVAL);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends `wait`: there is other work. */
  wake(): void {
    this.wakeUp();
  }
}
