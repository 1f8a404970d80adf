import { daemonApi } from '@wrkz/api';
import type { DaemonLabels, PermissionMode } from './declare';
import { refuse } from './errors';
import type { RpcContext } from './ports';

/** What each `--daemon-mode` grants (docs/protocol/rpc.md#permission-modes). */
const GRANTED: Readonly<Record<'standard' | 'explorer', readonly PermissionMode[]>> = {
  standard: ['Default', 'MiningEnabled'],
  explorer: ['Default', 'MiningEnabled', 'BlockExplorerEnabled', 'AllMethodsEnabled'],
};

export function grants(mode: PermissionMode, explorer: boolean): boolean {
  return GRANTED[explorer ? 'explorer' : 'standard'].includes(mode);
}

/**
 * Checks the labels of a declaration against the node.
 * @throws RpcRefusal 403 for the mode; 503 while the node is not synchronized, and after damage for every call that writes
 */
export function admit(labels: DaemonLabels | undefined, context: RpcContext): void {
  if (labels === undefined) return;
  admitMode(labels, context);
  const damage = context.damaged?.();
  const writes = labels.needsSync === true || labels.mode === 'MiningEnabled';
  if (damage !== undefined && writes) throw refuse(daemonApi.refusals.damaged, { message: damage });
  if (labels.needsSync === true && !context.peers.isSynchronized()) throw refuse(daemonApi.refusals.notSynced);
}

/** The part of it that the options decide alone. @throws RpcRefusal 403 */
export function admitMode(
  { mode }: DaemonLabels,
  { explorer, miningOff }: Pick<RpcContext, 'explorer' | 'miningOff'>,
): void {
  if (!grants(mode, explorer)) throw refuse(daemonApi.refusals.forbidden);
  if (miningOff === true && mode === 'MiningEnabled') throw refuse(daemonApi.refusals.miningOff);
}
