import type { Ledger } from '../../../src/ledger/ledger';
import type { SubWallet, WalletContent } from '../../../src/ledger/model';
import { type Balance, walletBalance } from '../../../src/ledger/queries';

/** @param height index of the network's tip @param timestamp Unix seconds */
export function balanceOf(ledger: Ledger, height: number, timestamp: number, keys?: readonly string[]): Balance {
  return walletBalance(ledger.content(), { height, timestamp }, keys);
}

/** A sub-wallet without outputs. */
export function emptySubWallet(publicSpendKey: string, facts: Partial<SubWallet> = {}): SubWallet {
  return {
    walletIndex: 0,
    publicSpendKey,
    privateSpendKey: undefined,
    address: `address of ${publicSpendKey}`,
    isPrimary: false,
    syncStartTimestamp: 0,
    syncStartHeight: 0,
    unspent: [],
    locked: [],
    spent: [],
    unconfirmedIncoming: [],
    ...facts,
  };
}

/** A wallet without progress and transactions. */
export function emptyContent(subWallets: readonly SubWallet[], facts: Partial<WalletContent> = {}): WalletContent {
  return {
    privateViewKey: '0'.repeat(64),
    isViewWallet: false,
    subWallets,
    subWalletIndexCounter: 0,
    transactions: [],
    unconfirmed: [],
    transactionKeys: [],
    progress: { height: 0, recentHashes: [], checkpointHashes: [] },
    startTimestamp: 0,
    startHeight: 0,
    unknownFields: new Map(),
    ...facts,
  };
}
