import { once } from 'node:events';
import { NodeList } from '@wrkz/client';
import { chainIdentity, networkOf } from '@wrkz/core-types';
import { DEFAULT_POW_SERVER, PowClient, type Wallet, type WalletDependencies, type WalletOptions } from '../../src';

type Factory = (dependencies: WalletDependencies, options: WalletOptions) => Promise<Wallet>;

const network = networkOf('devnet');

export interface ServedAt {
  readonly file: string;
  readonly password: string;
  readonly port: number;
  readonly skipCoinbases?: boolean;
}

/** Opens or creates a wallet with a local devnet node. */
export function served(
  factory: Factory,
  { file, password, port, skipCoinbases = false }: ServedAt,
  warn: (text: string) => void = () => undefined,
): Promise<Wallet> {
  const nodes = new NodeList([{ host: '127.0.0.1', port, ssl: false }], {
    chain: chainIdentity('devnet'),
  });
  const pow = new PowClient(DEFAULT_POW_SERVER, { threads: 1 });
  return factory({ network, pow, warn, sync: { skipCoinbases } }, { file, password, nodes });
}

/** Resolves when the wallet is at the tip of its node. */
export async function untilAtTip(wallet: Wallet): Promise<void> {
  while (!wallet.syncStatus.isAtTip) await once(wallet, 'changed');
}
