import { methodDeclarer, routeDeclarer, type Guards, type Method, type Route } from '@wrkz/service-kit';
import type { RpcContext } from './ports';

/**
 * The permission modes by their old names (docs/protocol/rpc.md#permission-modes); `--daemon-mode standard` grants the
 * first two.
 */
export type PermissionMode = 'Default' | 'MiningEnabled' | 'BlockExplorerEnabled' | 'AllMethodsEnabled';

/**
 * What an answer is made of: `chain`, the stored chain alone (or nothing at all); `chain and node`, the chain with facts that
 * `/info` of the node tells; `node`, what only the running node has in memory, such as its pool and its peers. A reader
 * process (serve-rpc) answers the first two itself and passes the last on.
 */
export type AnsweredFrom = 'chain' | 'chain and node' | 'node';

/** What a route or a method asks of the node before its request is read. */
export interface DaemonLabels {
  readonly mode: PermissionMode;
  readonly answeredFrom: AnsweredFrom;
  /** Refused with 503 until the node is synchronized. */
  readonly needsSync?: boolean;
}

export type DaemonRoute = Route<RpcContext, DaemonLabels>;
export type DaemonMethod = Method<RpcContext, DaemonLabels>;

/** Declares a route of the daemon; its file is named after the path. */
export const route = routeDeclarer<RpcContext, DaemonLabels>();

/** Declares a JSON-RPC method of the daemon; its file is named after it. */
export const method = methodDeclarer<RpcContext, DaemonLabels>();

/** Every route of the daemon asks for the token, where there is one, and counts against the limit. */
export const GUARDED: Guards = { key: true, limit: true };
