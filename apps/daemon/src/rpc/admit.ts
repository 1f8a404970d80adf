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

/** Holds a declaration's labels against the node. @throws RpcRefusal 403 for the mode, 503 while not synchronized */
export function admit(labels: DaemonLabels | undefined, { explorer, miningOff, peers }: RpcContext): void {
  if (labels === undefined) return;
  if (!grants(labels.mode, explorer)) throw refuse(daemonApi.refusals.forbidden);
  if (miningOff === true && labels.mode === 'MiningEnabled') throw refuse(daemonApi.refusals.miningOff);
  if (labels.needsSync === true && !peers.isSynchronized()) throw refuse(daemonApi.refusals.notSynced);
}
