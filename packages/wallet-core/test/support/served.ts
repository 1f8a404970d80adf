import { once } from 'node:events';
import { NodeList } from '@wrkz/client';
import { networkOf } from '@wrkz/core-types';
import {
  DEFAULT_POW_SERVER,
  PowClient,
  serveWallet,
  type ServedWallet,
  type ServiceShapes,
  type ServiceWallet,
  type WalletParts,
} from '../../src';
import type { WalletSettings } from '../../src/wallet';

type Way = (parts: WalletParts<NodeList, ServiceShapes>, settings: WalletSettings<NodeList>) => Promise<ServiceWallet>;

const network = networkOf('devnet');

export interface ServedAt {
  readonly file: string;
  readonly password: string;
  readonly port: number;
  readonly skipCoinbases?: boolean;
}

/** A wallet as a service holds it, at a devnet node of this machine. Its warnings go to `warn`. */
export function served(
  way: Way,
  { file, password, port, skipCoinbases = false }: ServedAt,
  warn: (text: string) => void = () => undefined,
): Promise<ServedWallet> {
  const node = new NodeList([{ host: '127.0.0.1', port, ssl: false }], {
    genesisHash: network.genesis.hash.toString('hex'),
  });
  const pow = new PowClient(DEFAULT_POW_SERVER, { threads: 1 });
  return serveWallet({ network, pow, warn, sync: { skipCoinbases } }, (parts) => way(parts, { file, password, node }));
}

/** Until the wallet stands at the tip of its node. */
export async function untilAtTip({ wallet, syncStatus }: ServedWallet): Promise<void> {
  while (!syncStatus().isAtTip) await once(wallet, 'changed');
}
