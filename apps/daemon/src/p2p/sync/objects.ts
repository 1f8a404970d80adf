import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import type { ResponseObjects } from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import { hashKey } from '../hashes';
import { closeReasons, type CloseReason } from '../limits/close-reasons';
import type { BlockCodec, P2pClock } from '../ports';
import type { Session } from '../session/session';
import type { PlanEntry } from './chain-plan';

export interface ReceivedBlock {
  readonly entry: PlanEntry;
  readonly raw: RawBlock;
  readonly bytes: number;
}

export type ReceiveVerdict =
  | { readonly kind: 'bad'; readonly reason: CloseReason; readonly blocks: readonly ReceivedBlock[] }
  /** `reorganised`: the peer listed all absent blocks in `missed_ids`, so its chain has changed. */
  | { readonly kind: 'good'; readonly reorganised: boolean; readonly blocks: readonly ReceivedBlock[] };

/**
 * Checks NOTIFY_RESPONSE_GET_OBJECTS against the request: every block must be one of `left`, follow the block that
 * the peer announced before it, and have exactly its transactions. A fault that is found later is therefore in the announced
 * chain, not in the delivery. Yields to the event loop in between.
 */
export async function receiveObjects(
  message: ResponseObjects,
  left: Map<string, PlanEntry>,
  codec: BlockCodec,
): Promise<ReceiveVerdict> {
  const yielder = new EventLoopYielder();
  const blocks: ReceivedBlock[] = [];
  for (const raw of message.blocks) {
    await yielder.yieldIfDue();
    const checked = checkBlock(raw, left, codec);
    if (!('entry' in checked)) return { kind: 'bad', reason: checked, blocks };
    left.delete(checked.entry.key);
    blocks.push(checked);
  }
  const missed = new Set(message.missed.map(hashKey));
  if ([...left.keys()].some((key) => !missed.has(key))) {
    return { kind: 'bad', reason: closeReasons.objectsMissing, blocks };
  }
  return { kind: 'good', reorganised: left.size > 0, blocks };
}

function checkBlock(raw: RawBlock, left: Map<string, PlanEntry>, codec: BlockCodec): ReceivedBlock | CloseReason {
  const parsed = parseWhole(raw, codec);
  if ('text' in parsed) return parsed;
  const entry = left.get(hashKey(parsed.hash));
  if (entry === undefined) return closeReasons.objectsForeign;
  if (!parsed.previous.equals(entry.previous)) return closeReasons.objectsUnlinked;
  return parsed.isWhole ? { entry, raw: copyOf(raw), bytes: rawBlockBytes(raw) } : closeReasons.objectsBody;
}

/** The parts of a received block are views and would retain the whole network frame. */
function copyOf({ block, transactions }: RawBlock): RawBlock {
  return { block: Buffer.from(block), transactions: transactions.map((bytes) => Buffer.from(bytes)) };
}

/** Parses a block. `isWhole`: it has exactly the transactions that it names. */
function parseWhole(
  { block: bytes, transactions }: RawBlock,
  codec: BlockCodec,
): { readonly hash: Buffer; readonly previous: Buffer; readonly isWhole: boolean } | CloseReason {
  try {
    const { hash, block } = codec.parse(bytes);
    const hashes = block.transactionHashes;
    const isWhole =
      hashes.length === transactions.length &&
      transactions.every((transaction, i) => hashes[i]?.equals(codec.transactionHash(transaction)) === true);
    return { hash, previous: block.previousHash, isWhole };
  } catch {
    return closeReasons.objectsUnreadable;
  }
}

/** Milliseconds that a response may take. */
const RESPONSE_TIMEOUT = 60_000;

/** A block that a peer delivered for its id. */
export interface FetchedBlock {
  readonly id: Buffer;
  readonly raw: RawBlock;
}

interface PendingRequest {
  readonly ids: ReadonlyMap<string, Buffer>;
  resolve(blocks: readonly FetchedBlock[]): void;
}

/** Requests blocks by their ids from single peers, outside of any synchronisation. */
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
   * Requests blocks from a peer. @returns the delivered ones, with exactly their transactions; none when the peer does not
   * respond in time or disconnects, or has not responded to an earlier request yet
   */
  request(session: Session, ids: readonly Buffer[]): Promise<readonly FetchedBlock[]> {
    if (this.awaits(session)) return Promise.resolve([]);
    return new Promise((resolve) => {
      // The request remains known: a late response of a slow peer is not an unrequested one.
      const timer = this.clock.after(RESPONSE_TIMEOUT, () => resolve([]));
      this.pending.set(session.id, {
        ids: new Map(ids.map((id) => [hashKey(id), id])),
        resolve: (blocks) => {
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
    const parsed = parseWhole(raw, this.codec);
    if ('text' in parsed || !parsed.isWhole) return undefined;
    const id = ids.get(hashKey(parsed.hash));
    return id === undefined ? undefined : { id, raw };
  }

  private settle(session: number, blocks: readonly FetchedBlock[]): void {
    const request = this.pending.get(session);
    this.pending.delete(session);
    request?.resolve(blocks);
  }
}
