/** Milliseconds from one look at the disk to the next while nothing is written. */
const INTERVAL = 500;

/**
 * Holds blocks back while the disk has too little room to write them safely, so that a commit never meets a full disk: what
 * waits is kept in memory, and goes on by itself when there is room again.
 */
export class SpaceGate {
  private why: string | undefined;
  private wakeUp: () => void = () => undefined;

  /**
   * @param complaint why nothing can be written now, undefined when it can; it is told whether the gate is closed, for then
   *   a little more room is asked for
   * @param onChange is told when the gate closes, with the reason, and when it opens
   */
  constructor(
    private readonly complaint: (closed: boolean) => string | undefined,
    private readonly onChange: (why: string | undefined) => void,
  ) {}

  /** Why it was closed at the last look. */
  get closed(): string | undefined {
    return this.why;
  }

  /** Looks at the disk; costs some microseconds. */
  isOpen(): boolean {
    const why = this.complaint(this.why !== undefined);
    const changed = (why === undefined) !== (this.why === undefined);
    this.why = why;
    if (changed) this.onChange(why);
    return why === undefined;
  }

  /** Resolves when it is time to look again, or at `wake`. */
  async wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, INTERVAL);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** There is something else to do. */
  wake(): void {
    this.wakeUp();
  }
}
