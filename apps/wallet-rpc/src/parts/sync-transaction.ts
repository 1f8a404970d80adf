import type { SyncTransaction } from '@wrkz/client';
import { type ParsedTransaction, parseExtraWallet } from '@wrkz/core-types';
import type { ScanKeys, WalletContent } from '@wrkz/wallet-core';

/** What of a transaction a wallet scans. */
export type ScannableParts = Pick<SyncTransaction, 'hash' | 'unlockTime' | 'inputs' | 'outputs'> & {
  readonly extra: Uint8Array;
};

/** A transaction as `/getwalletsyncdata` would tell it. */
export function scannable({ extra, ...rest }: ScannableParts): SyncTransaction {
  const { publicKey, paymentId } = parseExtraWallet(extra);
  return { ...rest, transactionPublicKey: publicKey.toString('hex'), paymentId };
}

/** The same of one that was read from its bytes. */
export function scannableOf(parsed: ParsedTransaction): SyncTransaction {
  const { inputs, outputs, unlockTime, extra } = parsed.transaction;
  return scannable({
    hash: parsed.hash.toString('hex'),
    unlockTime,
    extra,
    inputs: inputs.flatMap((input) => {
      return input.type === 'key' ? [{ keyImage: input.keyImage.toString('hex'), amount: input.amount }] : [];
    }),
    outputs: outputs.map(({ amount, key }) => ({ amount, key: key.toString('hex') })),
  });
}

/** The keys of a wallet, to scan with. */
export function scanKeysOf({ privateViewKey, subWallets }: WalletContent): ScanKeys {
  return {
    privateViewKey,
    spendKeys: subWallets.map(({ publicSpendKey, privateSpendKey }) => ({ publicSpendKey, privateSpendKey })),
  };
}
