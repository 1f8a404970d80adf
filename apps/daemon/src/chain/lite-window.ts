/**
 * Checks that a lite height is far enough below the top of the network: no reorganisation may reach data that was never stored
 * (docs/operations/storage-modes.md#lite). The top is the larger of the own height and the highest height that a peer claims.
 * The check ends when the chain is high enough, or when a start was refused.
 */
export class LiteWindow {
  private readonly peers = new Set<string>();
  private tallest = 0;
  private over = false;

  /** @param window minimum number of blocks above the lite height */
  constructor(
    private readonly lite: number,
    private readonly window: number,
  ) {}

  get isSettled(): boolean {
    return this.over;
  }

  /** Checks the own chain. @param count of blocks */
  own(count: number): void {
    this.tallest = Math.max(this.tallest, count);
    if (this.tallest >= this.lite + this.window) this.over = true;
  }

  /**
   * Takes the claim of a peer.
   * @param peer identifies the peer: a peer that reports twice counts once
   * @param claimed number of blocks of its chain; 0 for no claim
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

/** Reports that decide. */
const PEERS_ASKED = 4;

function tooCloseText(lite: number, window: number, tallest: number): string {
  return (
    `--lite-height ${lite} is too close to the network top (${tallest}, the tallest chain seen across ${PEERS_ASKED} peers). ` +
    `A lite node must keep at least ${window} blocks of full data above its lite height so a reorg can never reach the part ` +
    `it did not store. The highest value this network currently allows is ${Math.max(0, tallest - window)}. Delete the data ` +
    'directory and restart with a lower --lite-height.'
  );
}
