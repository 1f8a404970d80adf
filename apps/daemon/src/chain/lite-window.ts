/**
 * Whether a lite height lies deep enough below the top of the network, so that no reorganisation reaches what was never stored
 * (docs/operations/storage-modes.md#lite). Weighed is the larger of the own chain and the tallest that a peer has claimed.
 * Once they are tall enough, or a start was refused, nothing is asked any more.
 */
export class LiteWindow {
  private readonly peers = new Set<string>();
  private tallest = 0;
  private over = false;

  /** @param window blocks above the lite height that there must be */
  constructor(
    private readonly lite: number,
    private readonly window: number,
  ) {}

  get isSettled(): boolean {
    return this.over;
  }

  /** Looks at the own chain. @param count of blocks */
  own(count: number): void {
    this.tallest = Math.max(this.tallest, count);
    if (this.tallest >= this.lite + this.window) this.over = true;
  }

  /**
   * Takes what a peer claims.
   * @param peer names it, so that one that reports twice counts once
   * @param claimed count of the blocks of its chain; 0 says nothing
   * @returns why the node must stop, if enough peers agree on it
   */
  claim(peer: string, claimed: number): string | undefined {
    if (this.over || claimed === 0) return undefined;
    this.peers.add(peer);
    this.own(claimed);
    if (this.over || this.peers.size < PEERS_ASKED) return undefined;
    this.over = true;
    return tooCloseText(this.lite, this.window, this.tallest);
  }
}

/** With so many reports the question is decided. */
const PEERS_ASKED = 4;

function tooCloseText(lite: number, window: number, tallest: number): string {
  return (
    `--lite-height ${lite} is too close to the network top (${tallest}, the tallest chain seen across ${PEERS_ASKED} peers). ` +
    `A lite node must keep at least ${window} blocks of full data above its lite height so a reorg can never reach the part ` +
    `it did not store. The highest value this network currently allows is ${Math.max(0, tallest - window)}. Delete the data ` +
    'directory and restart with a lower --lite-height.'
  );
}
