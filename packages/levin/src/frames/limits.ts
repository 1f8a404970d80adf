import { Command, type CommandId } from '../commands/ids';
import type { FrameHeader } from './header';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Max body of any command (docs/protocol/p2p.md#frame-limits). */
export const MAX_FRAME_BODY = 50_000_000;
/** Max body before the handshake, and of unknown commands. */
export const SMALL_FRAME_BODY = 64 * KIB;

/**
 * Max body of each command that an honest peer sends. Peer lists: 250 entries of 24 and of 40 bytes. Hash lists: 10,000 ids.
 * Blocks: the hard size limit stays below 4 MiB for the next decade. Pools: our 64 MiB may
 * have 640,000 hashes (20 MB), and the pool of the reference has no limit.
 */
const limits: Readonly<Record<CommandId, number>> = {
  [Command.handshake]: SMALL_FRAME_BODY,
  [Command.timedSync]: SMALL_FRAME_BODY,
  [Command.ping]: 4 * KIB,
  [Command.newBlock]: 8 * MIB,
  [Command.newTransactions]: MAX_FRAME_BODY,
  [Command.requestObjects]: 512 * KIB,
  [Command.responseObjects]: MAX_FRAME_BODY,
  [Command.requestChain]: 64 * KIB,
  [Command.responseChain]: 512 * KIB,
  [Command.requestPool]: MAX_FRAME_BODY,
  [Command.newLiteBlock]: 4 * MIB,
  [Command.missingTransactions]: 512 * KIB,
};
const limitOf = new Map(Object.entries(limits).map(([id, limit]) => [Number(id), limit]));

/** State of the connection when a header is received. */
export interface LimitContext {
  readonly handshaken: boolean;
  /** We have requested blocks. */
  readonly objectsRequested: boolean;
  /** We have requested the pool or transactions of a block. */
  readonly transactionsRequested: boolean;
}

/** Max body of a frame in the current state of the connection. */
export function bodyLimit(header: FrameHeader, context: LimitContext): number {
  if (!context.handshaken) return SMALL_FRAME_BODY;
  const limit = limitOf.get(header.command) ?? SMALL_FRAME_BODY;
  // Unrequested blocks are rejected anyway, so 50 MB of them must not be buffered first.
  if (header.command === Command.responseObjects && !context.objectsRequested) return Math.min(limit, MIB);
  if (header.command === Command.newTransactions && !context.transactionsRequested) return Math.min(limit, 16 * MIB);
  return limit;
}
