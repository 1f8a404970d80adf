import type { NodeData } from '@wrkz/levin';
import { P2P_MINIMUM_VERSION, P2P_UPGRADE_WINDOW, P2P_VERSION } from '../constants';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import type { P2pLogger } from '../ports';
import type { Session } from './session';

/** Why we refuse a peer that says this of itself; `undefined` when we do not. Every version from 16 on is welcome. */
export function judgeNodeData(data: NodeData, networkId: Buffer, ownPeerId: bigint): CloseReason | undefined {
  if (!data.networkId.equals(networkId)) return closeReasons.wrongNetwork;
  if (data.version < P2P_MINIMUM_VERSION) return closeReasons.oldVersion;
  if (data.peerId === ownPeerId) return closeReasons.ownConnection;
  return undefined;
}

/** Notes what a peer says of itself. A program much newer than ours is a hint to the operator to look for an update. */
export function takeNodeData(session: Session, data: NodeData, logger: P2pLogger): void {
  session.version = data.version;
  session.peerId = data.peerId;
  session.listeningPort = data.myPort;
  if (data.version - P2P_VERSION < P2P_UPGRADE_WINDOW) return;
  logger.warning(`${session.name} speaks version ${data.version}: a newer program may be out`);
}
