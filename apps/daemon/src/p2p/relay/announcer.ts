import type { ChainAdvance, ChainPort, P2pClock } from '../ports';
import type { Session } from '../session/session';
import type { BlockRelay } from './block-relay';

/**
 * Announces our new tip to peers, once it is committed. While blocks are being fetched only the tip at the end of them
 * is announced.
 */
export class Announcer {
  constructor(
    private readonly chain: ChainPort,
    private readonly relay: Pick<BlockRelay, 'hopOf'>,
    private readonly sessions: () => Iterable<Session>,
    private readonly isDownloading: () => boolean,
    private readonly clock: Pick<P2pClock, 'now'>,
  ) {}

  onCommit(commit: ChainAdvance): void {
    if (commit.added.length > 0) this.announce();
  }

  /** Announces the tip to whoever is not known to have it, unless blocks are being fetched. */
  announce(): void {
    if (this.isDownloading()) return;
    const { height, hash } = this.chain.tip();
    let raw: ReturnType<ChainPort['rawBlock']>;
    for (const session of this.sessions()) {
      if (!session.handshaken || session.knownBlocks.has(hash)) continue;
      raw ??= this.chain.rawBlock(hash);
      if (raw === undefined) return;
      session.knownBlocks.add(hash);
      session.sendBlock(raw, height + 1, this.relay.hopOf(hash), this.clock.now());
    }
  }
}
