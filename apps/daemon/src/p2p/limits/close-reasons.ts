import type { ReasonCode } from '@wrkz/consensus';

/**
 * Penalty of a peer whose connection is closed. `none`: no penalty. `avoid`: an outgoing peer is not dialed again for ten
 * minutes. A number: like `avoid`, and this number of points for its address; 100 points ban it. `ban`: the address is
 * banned immediately.
 */
export type Penalty = 'none' | 'avoid' | 'ban' | number;

/** Reason to close a connection: `text` for the log, `penalty` for the peer. */
export interface CloseReason {
  readonly text: string;
  readonly penalty: Penalty;
}

function reason(text: string, penalty: Penalty = 'none'): CloseReason {
  return { text, penalty };
}

/**
 * All reasons to close a connection, with their penalties. Points apply only if the sender could have avoided the error,
 * never if the cause depends on our clock, our state or the network. Only a checkpoint mismatch bans immediately
 * (docs/protocol/p2p.md#penalties).
 */
export const closeReasons = {
  stopping: reason('we are stopping'),
  remoteClosed: reason('closed by the peer'),
  socketError: reason('connection failed'),
  banned: reason('the address is banned'),
  tooManyConnections: reason('no free slot'),
  gaveWay: reason('gave its slot to another incoming connection'),
  evicted: reason('evicted for another incoming peer'),
  peerListTaken: reason('peer list received'),

  badSignature: reason('not a Levin frame', 34),
  frameTooLarge: reason('frame larger than its command allows', 34),
  memoryBudget: reason('its buffers, or those of all peers together, exceed the memory limit'),
  badBody: reason('body cannot be read', 34),
  flood: reason('too many messages', 50),
  refusedTransactions: reason('too many messages with transactions that do not fit our chain'),
  overwork: reason('exceeds its share of processing time', 34),
  internalError: reason('message could not be handled'),

  handshakeTimeout: reason('no handshake in time'),
  frameTimeout: reason('frame not completed in time'),
  writeTimeout: reason('peer does not read'),
  writeQueueFull: reason('peer reads too slowly'),
  silence: reason('nothing received for too long'),
  uploadLimit: reason('the upload limit of 24 hours is reached'),
  syncStalled: reason('no response to a chain request'),
  claimUnserved: reason('claimed blocks were requested and not delivered', 20),

  noHandshake: reason('message before the handshake', 10),
  secondHandshake: reason('second handshake', 10),
  wrongDirection: reason('handshake request on an outgoing connection', 10),
  handshakeRefused: reason('handshake was refused'),
  wrongNetwork: reason('other network'),
  oldVersion: reason('version below the minimum'),
  ownConnection: reason('connection to ourselves'),
  // No points: an honest node whose clock was set back sends such a list too.
  futurePeerList: reason('peer list from the future', 'avoid'),

  chainRequestEmpty: reason('chain request without hashes', 10),
  chainRequestForeign: reason('chain request that does not end with our genesis block', 10),
  chainEmpty: reason('chain entry without hashes', 34),
  chainUnknownStart: reason('chain entry starts with an unknown block', 10),
  chainHeights: reason('chain entry contradicts itself', 34),
  chainEndless: reason('chain entries contain nothing new', 34),

  objectsNotRequested: reason('blocks that were not requested', 34),
  objectsHeight: reason('height below its own chain entry', 10),
  objectsUnreadable: reason('block cannot be read', 34),
  objectsForeign: reason('block that was not requested', 34),
  objectsBody: reason('block and its transactions do not fit', 34),
  objectsMissing: reason('requested blocks were left out', 20),
  objectsUnlinked: reason('blocks do not follow each other as announced', 50),

  invalidBlock: reason('block is invalid', 50),
  overfullBlock: reason('block is larger or has more transactions than allowed', 50),
  invalidTransaction: reason('transaction is invalid on every chain', 34),
  checkpointMismatch: reason('block contradicts a checkpoint', 'ban'),
  tooEarlyBlock: reason('block is ahead of our clock'),
  orphans: reason('blocks do not connect', 'avoid'),
  liteBlockIncomplete: reason('transactions of its block were not supplied', 10),
  transactionsUnavailable: reason('requested transactions that we do not have'),
} as const satisfies Record<string, CloseReason>;

/** Results of the chain for a block whose sender is not penalised with points, or more severely than with points. */
const blockReasons: Readonly<Partial<Record<ReasonCode, CloseReason | undefined>>> = {
  // The block is stored.
  ADDED_TO_MAIN: undefined,
  ADDED_TO_ALTERNATIVE: undefined,
  ADDED_TO_ALTERNATIVE_AND_SWITCHED: undefined,
  ALREADY_EXISTS: undefined,
  // No parent, or a branch too deep: that depends on our chain, so the sender is not penalised.
  REJECTED_AS_ORPHANED: closeReasons.orphans,
  // Our clock may be the one that is wrong.
  TIMESTAMP_TOO_FAR_IN_FUTURE: closeReasons.tooEarlyBlock,
  // The peer follows a chain that contradicts the checkpoints.
  CHECKPOINT_BLOCK_HASH_MISMATCH: closeReasons.checkpointMismatch,
};

/**
 * The reason to close the connection to the sender of a block, by the result code of the chain; undefined if it stays open. The
 * sender had to verify the block against the same chain before it relayed it, so all other failures are penalised.
 */
export function closeReasonOfBlock(code: ReasonCode): CloseReason | undefined {
  return code in blockReasons ? blockReasons[code] : closeReasons.invalidBlock;
}
