/** Milliseconds between two checks of the disk while nothing is written. */
const INTERVAL = 500;

/**
 * Holds blocks back while the disk has too little free space, so that a commit never meets a full disk. The blocks wait in
 * memory and continue when space is free again.
 */
export class SpaceGate {
  private why: string | undefined;
  private wakeUp: () => void = () => undefined;

  /**
   * @param complaint why nothing can be written now; undefined when it can. It receives whether the gate is closed: opening
   *   needs a little more space
   * @param onChange called with the reason when the gate closes, and with undefined when it opens
   */
  constructor(
    private readonly complaint: (closed: boolean) => string | undefined,
    private readonly onChange: (why: string | undefined) => void,
  ) {}

  /** Why nothing can be written now. Never closes the gate: only waiting blocks would open it again. */
  get shortage(): string | undefined {
    return this.complaint(this.why !== undefined);
  }

  /** Checks the disk; costs some microseconds. */
  isOpen(): boolean {
    const why = this.complaint(this.why !== undefined);
    const changed = (why === undefined) !== (this.why === undefined);
    this.why = why;
    if (changed) this.onChange(why);
    return why === undefined;
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
