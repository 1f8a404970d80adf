import type { RawBlock } from '@wrkz/core-types';
import type { ResponseObjects } from '@wrkz/levin';
import { hashKey } from '../hashes';
import { closeReasons } from '../limits/close-reasons';
import type { BlockCodec, P2pClock } from '../ports';
import type { Session } from '../session/session';

/** Milliseconds after which an answer that has not come will not. */
const ANSWER_WITHIN = 60_000;

/** A block that a peer gave for its id. */
export interface FetchedBlock {
  readonly id: Buffer;
  readonly raw: RawBlock;
}

interface PendingRequest {
  readonly ids: ReadonlyMap<string, Buffer>;
  answer(blocks: readonly FetchedBlock[]): void;
}

/** Asks single peers for blocks by their ids, outside of any synchronisation. */
export class BlockFetcher {
  private readonly pending = new Map<number, PendingRequest>();

  constructor(
    private readonly codec: BlockCodec,
    private readonly clock: P2pClock,
  ) {}

  awaits(session: Pick<Session, 'id'>): boolean {
    return this.pending.has(session.id);
  }

  /**
   * Asks a peer for blocks. @returns those that it gave, with exactly their transactions; none when it does not answer in time
   * or leaves
   */
  ask(session: Session, ids: readonly Buffer[]): Promise<readonly FetchedBlock[]> {
    return new Promise((resolve) => {
      const timer = this.clock.after(ANSWER_WITHIN, () => this.settle(session.id, []));
      this.pending.set(session.id, {
        ids: new Map(ids.map((id) => [hashKey(id), id])),
        answer: (blocks) => {
          timer.cancel();
          resolve(blocks);
        },
      });
      session.requestObjects(ids);
    });
  }

  /**
   * Takes a response. @param isSyncing whether the synchronisation has requested blocks from this peer, too
   * @returns false where the response belongs to no request from here
   */
  take(session: Session, { blocks }: ResponseObjects, isSyncing: boolean): boolean {
    const request = this.pending.get(session.id);
    if (request === undefined) return false;
    const fetched = blocks.flatMap((raw) => this.checked(raw, request) ?? []);
    if (isSyncing && blocks.length > 0 && fetched.length === 0) return false;
    if (fetched.length < blocks.length) session.close(closeReasons.objectsForeign);
    this.settle(session.id, fetched);
    return true;
  }

  /** The session is closed. */
  left(session: Pick<Session, 'id'>): void {
    this.settle(session.id, []);
  }

  private checked(raw: RawBlock, { ids }: PendingRequest): FetchedBlock | undefined {
    try {
      const { hash, block } = this.codec.parse(raw.block);
      const id = ids.get(hashKey(hash));
      const listed = block.transactionHashes;
      const isWhole =
        listed.length === raw.transactions.length &&
        raw.transactions.every((bytes, i) => listed[i]?.equals(this.codec.transactionHash(bytes)) === true);
      return id === undefined || !isWhole ? undefined : { id, raw };
    } catch {
      return undefined; // no block
    }
  }

  private settle(session: number, blocks: readonly FetchedBlock[]): void {
    const request = this.pending.get(session);
    this.pending.delete(session);
    request?.answer(blocks);
  }
}
