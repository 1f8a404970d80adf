import { Command, pingRequest, pingResponse, SMALL_FRAME_BODY } from '@wrkz/levin';
import { PeerConnection } from '../connection/peer-connection';
import { BACK_PING_TIMEOUT } from '../constants';
import type { P2pContext } from '../context';
import { AddressBudget } from '../limits/address-budget';
import { closeReasons } from '../limits/close-reasons';
import { accountKey, type PeerAddress } from '../addresses';

/**
 * Connects to the announced port of an incoming peer and requests its peer id. Returns whether the id matches: only then is the
 * address reported to other peers (docs/protocol/p2p.md#back-ping).
 */
export async function backPing(
  address: PeerAddress,
  peerId: bigint,
  parts: Pick<P2pContext, 'transport' | 'clock' | 'logger' | 'memory'>,
): Promise<boolean> {
  const socket = await parts.transport.connect(address);
  if (socket === undefined) return false;
  const share = parts.memory.open(accountKey(address), () => connection.close(closeReasons.memoryBudget));
  const connection: PeerConnection = new PeerConnection({
    socket,
    remote: address,
    incoming: false,
    clock: parts.clock,
    logger: parts.logger,
    share,
    budget: new AddressBudget(
      () => parts.clock.now(),
      () => 0,
    ),
    limitOf: () => SMALL_FRAME_BODY,
    onClose: () => share.close(),
  });
  try {
    const response = await connection.request(Command.ping, pingRequest.encode(), BACK_PING_TIMEOUT);
    if (response === undefined) return false;
    const { status, peerId: respondedId } = pingResponse.decode(response.body);
    return status === 'OK' && respondedId === peerId;
  } catch {
    return false;
  } finally {
    connection.close(closeReasons.peerListTaken);
  }
}
