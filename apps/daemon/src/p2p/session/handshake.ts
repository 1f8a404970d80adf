import type { NodeData } from '@wrkz/levin';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import { P2P_MINIMUM_VERSION, P2P_UPGRADE_WINDOW, P2P_VERSION } from '../constants';

/** Why a peer that speaks so of itself is not for us; `undefined` when it is. Any version from 16 on will do. */
export function judgeNodeData(data: NodeData, networkId: Buffer, ownPeerId: bigint): CloseReason | undefined {
  if (!data.networkId.equals(networkId)) return closeReasons.wrongNetwork;
  if (data.version < P2P_MINIMUM_VERSION) return closeReasons.oldVersion;
  if (data.peerId === ownPeerId) return closeReasons.ownConnection;
  return undefined;
}

/** Whether the peer's program is so much newer that the operator should look for an update. */
export function isMuchNewer(version: number): boolean {
  return version - P2P_VERSION >= P2P_UPGRADE_WINDOW;
}
