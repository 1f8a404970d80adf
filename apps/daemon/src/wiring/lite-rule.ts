import type { ChainReader, StorageMode } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import { LiteWindow } from '../chain/lite-window';
import type { ChainService, CommitEvent } from '../chain/service';
import type { P2pEvents, P2pNode } from '../p2p/node';

export interface LiteRuleParts {
  readonly storage: StorageMode;
  readonly network: Network;
  readonly reader: Pick<ChainReader, 'height'>;
  readonly chain: Pick<ChainService, 'on' | 'off'>;
  readonly peers: Pick<P2pNode, 'on' | 'off'>;
  /** Stops the daemon, with this text for the operator. */
  readonly stop: (text: string) => void;
}

/**
 * Holds a lite node to the distance of its height from the network's top. Peers that called us are not asked: four of them are
 * made by anybody, and would stop a node that begins.
 * @returns ends it
 */
export function watchLiteRule({ storage, network, reader, chain, peers, stop }: LiteRuleParts): () => void {
  if (storage.kind !== 'lite') return () => undefined;
  const rule = new LiteWindow(storage.height, network.liteWindow);
  rule.own(reader.height() + 1);
  if (rule.isSettled) return () => undefined;
  const onCommit = ({ tip }: CommitEvent): void => endIfSettled(() => rule.own(tip.height + 1));
  const onClaim = ({ peer, incoming, height }: P2pEvents['claimed'][0]): void =>
    endIfSettled(() => {
      const text = incoming ? undefined : rule.claim(peer, height);
      if (text !== undefined) stop(text);
    });
  const end = (): void => {
    chain.off('commit', onCommit);
    peers.off('claimed', onClaim);
  };
  const endIfSettled = (look: () => void): void => {
    look();
    if (rule.isSettled) end();
  };
  chain.on('commit', onCommit);
  peers.on('claimed', onClaim);
  return end;
}
