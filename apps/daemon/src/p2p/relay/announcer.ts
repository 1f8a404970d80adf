import type { ChainAdvance, ChainPort, P2pClock } from '../ports';
import type { Session } from '../session/session';
import type { BlockRelay } from './block-relay';

/**
 * Announces our new tip to peers, once it is committed, whatever else is going on. Only who says that it is further than
 * that, with a tip that we do not know, hears nothing: while we catch up nobody is told of old blocks, and a false claim
 * keeps news from nobody but the liar.
 */
export class Announcer {
  constructor(
    private readonly chain: ChainPort,
    private readonly relay: Pick<BlockRelay, 'hopOf'>,
    private readonly sessions: () => Iterable<Session>,
    private readonly clock: Pick<P2pClock, 'now'>,
  ) {}

  onCommit(commit: ChainAdvance): void {
    if (commit.added.length > 0) this.announce();
  }

  /** Announces the tip to whoever is not known to have it. */
  announce(): void {
    const { height, hash } = this.chain.tip();
    let raw: ReturnType<ChainPort['rawBlock']>;
    for (const session of this.sessions()) {
      if (!session.handshaken || session.knownBlocks.has(hash) || this.isAhead(session, height)) continue;
      raw ??= this.chain.rawBlock(hash);
      if (raw === undefined) return;
      session.knownBlocks.add(hash);
      session.sendBlock(raw, height + 1, this.relay.hopOf(hash), this.clock.now());
    }
  }

  private isAhead({ claim }: Session, height: number): boolean {
    return claim !== undefined && claim.height > height + 1 && !this.chain.isKnown(claim.tip);
  }
}
