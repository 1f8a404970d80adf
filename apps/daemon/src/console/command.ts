import type { Network } from '@wrkz/core-types';
import type { Logger } from '@wrkz/service-kit';
import type { TransactionPool } from '../mempool/pool';
import type { P2pNode } from '../p2p/node';
import type { RpcContext } from '../rpc';
import type { SnapshotExporter } from '../snapshot/exporter';
import type { StratumServer } from '../stratum/server';
import type { Compaction } from '../upkeep/compaction';
import type { Scrub } from '../upkeep/scrub';
import type { LogTail } from './log-tail';

/** What the commands ask of the peers. */
export type ConsolePeers = Pick<
  P2pNode,
  'peers' | 'peerEntries' | 'peerId' | 'port' | 'settings' | 'bans' | 'ban' | 'unban' | 'save'
>;

/** What the commands may ask of the node. */
export interface ConsoleContext {
  readonly network: Network;
  /** The same view of chain, pool and peers that the RPC answers from. */
  readonly rpc: RpcContext;
  readonly pool: Pick<TransactionPool, 'list' | 'get'>;
  readonly peers: ConsolePeers;
  readonly logger: Pick<Logger, 'level' | 'setLevel'>;
  readonly tail: LogTail;
  /** Undefined while it is off. */
  readonly stratum?: StratumServer | undefined;
  readonly snapshots: Pick<SnapshotExporter, 'running' | 'result' | 'start' | 'cancel'>;
  readonly compaction: Compaction;
  readonly scrub: Pick<Scrub, 'status'>;
  /** The folder of the database. */
  readonly directory: string;
  /** Where peers connect to. */
  readonly listensAt: string;
  /** Asks for an orderly stop of the daemon. */
  requestStop(): void;
}

/** One command of the console. */
export interface ConsoleCommand {
  readonly name: string;
  /** One line of `help`. */
  readonly help: string;
  /** Words that may follow, for completion. */
  readonly words?: readonly string[];
  /** What it prints. An error that it throws is told as `Command failed: WHY`. */
  run(context: ConsoleContext, words: readonly string[]): string | Promise<string>;
}

/** What a command says instead of an answer; no failure. */
export class Complaint extends Error {
  override readonly name = 'Complaint';
}
