import type { P2pConfig } from './config';
import { MemoryBudget } from './connection/memory-budget';
import { proxyTransport } from './connection/proxy';
import { tcpTransport, type Transport } from './connection/transport';
import { BlockFetcher } from './sync/objects';
import { OwnAddresses } from './peers/own-addresses';
import { AddressBook } from './peers/address-book';
import { AddressBudgets } from './limits/address-budget';
import { UploadLimit } from './limits/upload-limit';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger, P2pRandom, PoolPort } from './ports';
import { AnnouncedBlocks } from './relay/announcements';
import { BlockRelay } from './relay/block-relay';
import { TransactionRelay } from './relay/transaction-relay';
import { OwnNodeData } from './session/node-data';
import type { Session } from './session/session';
import { BackPings } from './peers/incoming-slots';
import { SessionTable } from './session/session-table';
import { SyncDriver } from './sync/driver';
import { blockCodec } from './hashes';
import { systemClock, systemRandom, threadTime } from './clock';

/** Dependencies of the node. The optional ones default to those of the operating system and the network. */
export interface P2pDependencies {
  readonly chain: ChainPort;
  readonly pool: PoolPort;
  readonly logger: P2pLogger;
  readonly clock?: P2pClock;
  readonly random?: P2pRandom;
  readonly transport?: Transport;
  readonly codec?: BlockCodec;
  readonly memory?: MemoryBudget;
  /** Milliseconds with an arbitrary origin, to measure work on the event loop. */
  readonly stopwatch?: () => number;
}

export interface ContextEvents {
  /** A peer has completed the handshake. */
  onHandshaken(session: Session): void;
  /** For the first time, no connected peer has blocks that this node lacks. */
  onSynchronized(): void;
  /** A peer has reported the height of its chain. */
  onClaim(session: Session, height: number): void;
  /** A synchronisation has ended. */
  onIdle(): void;
}

/** The components that command handlers and the node use. */
export type P2pContext = ReturnType<typeof createContext>;

export function createContext(config: P2pConfig, parts: P2pDependencies, events: ContextEvents) {
  const given = {
    clock: systemClock,
    random: systemRandom,
    transport: config.proxy === undefined ? tcpTransport : proxyTransport(config.proxy, parts.logger),
    codec: blockCodec,
    memory: new MemoryBudget(),
    stopwatch: threadTime,
    ...parts,
  };
  const { chain, pool, logger, clock, random, codec } = given;
  const sessions = new SessionTable();
  const open = (): Session[] => sessions.open();
  const addresses = new OwnAddresses(clock);
  const book: AddressBook = new AddressBook({
    allowLocal: config.allowLocal,
    key: random.bytes(32),
    own: { addresses, peerId: () => own.peerId },
  });
  const own = new OwnNodeData({ config, chain, book, addresses, clock, random });
  const driver = new SyncDriver({
    config,
    chain,
    pool,
    codec,
    clock,
    logger,
    sessions,
    ...events,
  });
  return {
    ...given,
    config,
    backPings: new BackPings(config.inPeers),
    announced: new AnnouncedBlocks({ chain, codec, requestSync: (session) => driver.requestSync(session) }),
    budgets: new AddressBudgets(() => clock.now(), given.stopwatch),
    sessions,
    own,
    book,
    driver,
    fetcher: new BlockFetcher(codec, clock),
    blocks: new BlockRelay({ chain, pool, codec, clock, logger, driver, sessions: open }),
    transactions: new TransactionRelay({ pool, codec, clock, logger, sessions: open }),
    upload: new UploadLimit(config.maxUpload, chain, () => clock.now()),
    ...events,
  };
}
