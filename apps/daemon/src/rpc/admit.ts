import { daemonApi } from '@wrkz/api';
import type { DaemonLabels, PermissionMode } from './declare';
import { refuse } from './errors';
import type { RpcContext } from './ports';

export function grants(mode: PermissionMode, explorer: boolean): boolean {
  return explorer || mode === 'Default' || mode === 'MiningEnabled';
}

/** Holds a declaration's labels against the node. @throws RpcRefusal 403 for the mode, 503 while not synchronized */
export function admit(labels: DaemonLabels | undefined, { explorer, peers }: RpcContext): void {
  if (labels === undefined) return;
  if (!grants(labels.mode, explorer)) throw refuse(daemonApi.refusals.forbidden);
  if (labels.needsSync === true && !peers.isSynchronized()) throw refuse(daemonApi.refusals.notSynced);
}
