import { errorText } from '@wrkz/service-kit';
import type { Bans } from '../penalties/bans';
import type { P2pLogger } from '../ports';
import type { PeerAddress } from '../util/address';
import type { PeerBook } from './peer-book';
import { readPeerState, writePeerState } from './state-file';

const ANCHORS_KEPT = 4;

/** Keeps the peer state in its file; without a file nothing outlives the process. */
export class PeerStore {
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string | undefined,
    private readonly parts: {
      readonly own: { peerId: bigint };
      readonly book: PeerBook;
      readonly bans: Bans;
      readonly logger: P2pLogger;
      /** The peers that we have called and are connected to. */
      called(): readonly PeerAddress[];
    },
  ) {}

  /**
   * Reads the file into the lists; returns the peers that the last run was connected to.
   * @param bansOnly who we are and whom we knew is forgotten
   */
  async restore(bansOnly = false): Promise<readonly PeerAddress[]> {
    const { own, book, bans, logger } = this.parts;
    const state = this.file === undefined ? undefined : await readPeerState(this.file);
    if (state === undefined) return [];
    if ('fault' in state) {
      logger.warning(`the peer list ${this.file ?? ''} ${state.fault}; starting with an empty one`);
      return [];
    }
    bans.restore(state.bans);
    if (bansOnly) return [];
    if (state.peerId !== 0n) own.peerId = state.peerId;
    for (const entry of state.gray) book.addGray(entry);
    for (const entry of state.white) book.addWhite(entry);
    return state.anchors;
  }

  /** Writes the file, one write after the other; resolves when this one is done. Failures are logged. */
  save(): Promise<void> {
    const { file } = this;
    if (file === undefined) return Promise.resolve();
    const { own, book, bans, logger } = this.parts;
    const state = {
      peerId: own.peerId,
      white: book.whiteEntries(),
      gray: book.grayEntries(),
      anchors: this.parts.called().slice(0, ANCHORS_KEPT),
      bans: bans.list(),
    };
    this.saving = this.saving
      .then(() => writePeerState(file, state))
      .catch((error: unknown) => {
        logger.warning(`the peer list could not be written: ${errorText(error)}`);
      });
    return this.saving;
  }
}
