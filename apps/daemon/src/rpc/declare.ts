import { daemonApi } from '@wrkz/api';
import { methodDeclarer, routeDeclarer, type Guards, type Method, type Route } from '@wrkz/service-kit';
import type { RpcContext } from './context';
import { refuse } from './errors';

/** The permission modes of the C++ daemon (docs/protocol/rpc.md#permission-modes). */
export type PermissionMode = 'Default' | 'MiningEnabled' | 'BlockExplorerEnabled' | 'AllMethodsEnabled';

/**
 * The data that a response is made from: `chain`, the stored chain alone; `chain and node`, the chain and values of the node's
 * `/info`; `node`, the memory of the running node, such as its pool and peers. A reader process (serve-rpc) serves the first
 * two itself and forwards the third to the node.
 */
export type DataSource = 'chain' | 'chain and node' | 'node';

/** Requirements of a route or method, checked before its fields are parsed. */
export interface DaemonLabels {
  readonly mode: PermissionMode;
  readonly source: DataSource;
  /** 503 until the node is synchronized. */
  readonly needsSync?: boolean;
}

export type DaemonRoute = Route<RpcContext, DaemonLabels>;
export type DaemonMethod = Method<RpcContext, DaemonLabels>;

/** Declares a route of the daemon. */
export const route = routeDeclarer<RpcContext, DaemonLabels>();

/** Declares a JSON-RPC method of the daemon. */
export const method = methodDeclarer<RpcContext, DaemonLabels>();

/** The guards of the daemon's routes: access token and rate limit, if configured. */
export const GUARDED: Guards = { key: true, limit: true };

/** Guards and labels of a route that every node serves. */
export const guarded = (source: DataSource) => ({ guards: GUARDED, labels: { mode: 'Default', source } }) as const;

/** The permission modes that each `--daemon-mode` grants. */
const GRANTED: Readonly<Record<'standard' | 'explorer', readonly PermissionMode[]>> = {
  standard: ['Default', 'MiningEnabled'],
  explorer: ['Default', 'MiningEnabled', 'BlockExplorerEnabled', 'AllMethodsEnabled'],
};

export function grants(mode: PermissionMode, explorer: boolean): boolean {
  return GRANTED[explorer ? 'explorer' : 'standard'].includes(mode);
}

/**
 * Checks the labels of a declaration against the state of the node.
 * @throws RpcRefusal 403 for the mode; 503 while the node is not synchronized, and for methods that write to a damaged database
 */
export function checkLabels(labels: DaemonLabels | undefined, context: RpcContext): void {
  if (labels === undefined) return;
  checkMode(labels, context);
  const damage = context.damaged?.();
  const writes = labels.needsSync === true || labels.mode === 'MiningEnabled';
  if (damage !== undefined && writes) throw refuse(daemonApi.refusals.damaged, { message: damage });
  if (labels.needsSync === true && !context.peers.isSynchronized()) throw refuse(daemonApi.refusals.notSynced);
}

/** Checks the part of the labels that depends on the options alone. @throws RpcRefusal 403 */
export function checkMode(
  { mode }: DaemonLabels,
  { explorer, miningOff }: Pick<RpcContext, 'explorer' | 'miningOff'>,
): void {
  if (!grants(mode, explorer)) throw refuse(daemonApi.refusals.forbidden);
  if (miningOff === true && mode === 'MiningEnabled') throw refuse(daemonApi.refusals.miningOff);
}
