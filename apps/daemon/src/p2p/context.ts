import type { P2pConfig } from './config';
import type { ByteBudget } from '@wrkz/levin';
import type { OwnNodeData } from './session/node-data';
import type { Bans } from './penalties/bans';
import type { PeerBook } from './peers/peer-book';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger, PoolPort } from './ports';
import type { BlockRelay } from './relay/block-relay';
import type { TransactionRelay } from './relay/transaction-relay';
import type { SessionTable } from './session/session-table';
import type { SyncDriver } from './sync/driver';
import type { Transport } from './connection/transport';

/** The parts of the peers' side that work together; the node makes them, nobody else. */
export interface Room {
  readonly config: P2pConfig;
  readonly chain: ChainPort;
  readonly pool: PoolPort;
  readonly logger: P2pLogger;
  readonly clock: P2pClock;
  readonly codec: BlockCodec;
  readonly transport: Transport;
  readonly budget: ByteBudget;
  readonly sessions: SessionTable;
  readonly local: OwnNodeData;
  readonly book: PeerBook;
  readonly bans: Bans;
  readonly driver: SyncDriver;
  readonly blocks: BlockRelay;
  readonly transactions: TransactionRelay;
}
