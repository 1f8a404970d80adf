import { createdWallet } from '../../src/keys/wallet-keys';
import type { TransactionKey, WalletContent } from '../../src/ledger/model';

/** A small wallet; its start height identifies the version. */
export function walletAt(height: number): WalletContent {
  return { ...createdWallet({ height: 0, timestamp: 0 }), startHeight: height };
}

/** The same content with `keys` transaction keys of about 170 bytes each. */
export function grown(content: WalletContent, keys: number): WalletContent {
  const key = (i: number): TransactionKey => {
    return { transactionHash: i.toString(16).padStart(64, '0'), secretKey: 'ab'.repeat(32) };
  };
  return { ...content, transactionKeys: Array.from({ length: keys }, (_, i) => key(i)) };
}
