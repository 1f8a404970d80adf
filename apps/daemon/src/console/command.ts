import { BelowFloor } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import type { Logger } from '@wrkz/service-kit';
import type { TransactionPool } from '../mempool/pool';
import type { P2pNode } from '../p2p/node';
import type { RpcContext } from '../rpc';
import { RpcRefusal } from '../rpc/errors';
import { nodeInfo } from '../rpc/handlers/node';
import type { SnapshotExporter } from '../snapshot/exporter';
import type { StratumServer } from '../stratum/server';
import type { Compaction } from '../upkeep/compaction';
import type { Scrub } from '../upkeep/scrub';

export type ConsolePeers = Pick<
  P2pNode,
  'peers' | 'peerEntries' | 'peerId' | 'port' | 'settings' | 'bans' | 'ban' | 'unban' | 'save'
>;

/** The parts of the node that commands use. */
export interface ConsoleContext {
  readonly network: Network;
  /** The view of chain, pool and peers that the RPC routes use. */
  readonly rpc: RpcContext;
  readonly pool: Pick<TransactionPool, 'list' | 'get'>;
  readonly peers: ConsolePeers;
  readonly logger: Pick<Logger, 'level' | 'setLevel'>;
  readonly tail: { last(count: number): string[] };
  /** Undefined while stratum is disabled. */
  readonly stratum?: StratumServer | undefined;
  readonly snapshots: Pick<SnapshotExporter, 'running' | 'result' | 'start' | 'cancel'>;
  readonly compaction: Compaction;
  readonly scrub: Pick<Scrub, 'status'>;
  /** The folder of the database. */
  readonly directory: string;
  /** The addresses that peers connect to. */
  readonly listensAt: string;
  /** Requests an orderly stop of the daemon. */
  requestStop(): void;
}

export interface ConsoleCommand {
  readonly name: string;
  /** One line of `help`. */
  readonly help: string;
  /** Possible first arguments, for completion. */
  readonly words?: readonly string[];
  /** Runs at once, even while another command runs. */
  readonly isImmediate?: boolean;
  /** @returns the output; an error is printed as `Command failed: <message>` */
  run(context: ConsoleContext, words: readonly string[]): string | Promise<string>;
}

/** A text that a command prints instead of its output, without `Command failed`. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** The output of a command, or the reason why the data is not stored. */
export function orBelowFloor(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof BelowFloor) return `${error.message}\n`;
    throw error;
  }
}

/** The response of `/info`. @throws CommandFailure with `problem` while the chain cannot be read */
export function infoOrFailure({ rpc }: Pick<ConsoleContext, 'rpc'>, problem: string): ReturnType<typeof nodeInfo> {
  try {
    return nodeInfo(rpc);
  } catch (error) {
    if (error instanceof RpcRefusal) throw new CommandFailure(problem);
    throw error;
  }
}
