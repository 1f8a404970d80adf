import { fixturePath, readJson } from '@wrkz/testing/fixtures';

/** An address of a recorded file. The secret is 64 zeros in a view-only file. */
export interface RecordedAddress {
  readonly address?: string;
  readonly publicSpendKey: string;
  readonly secretSpendKey: string;
  readonly creationTimestamp: number;
  readonly balance?: { readonly available: string; readonly locked: string };
}

export interface RecordedTransaction {
  readonly hash: string;
  readonly blockHeight: number;
  readonly amount: string;
  readonly fee: string;
  readonly isBase: boolean;
  readonly timestamp: number;
  readonly unlockTime: number;
  readonly paymentId: string;
}

/** The recorded results of the C++ wallets for a file. */
export interface RecordedGreen {
  readonly name: string;
  readonly path: string;
  readonly password: string;
  readonly opens: 'yes' | 'version' | 'damaged' | 'password' | 'mixed';
  readonly wrongPasswords?: readonly string[];
  readonly viewSecretKey?: string;
  readonly cacheLevel?: 0 | 1 | 2 | null | 'unreadable';
  readonly addresses?: readonly RecordedAddress[];
  readonly mnemonicSeed?: string | null;
  readonly balance?: { readonly available: string; readonly locked: string };
  readonly transactions?: readonly RecordedTransaction[];
  readonly unconfirmed?: readonly string[];
  readonly delayed?: readonly string[];
  readonly synchronised?: { readonly blocks: number };
  readonly conversion?: {
    readonly isViewWallet: boolean;
    readonly primaryAddress: string | null;
    readonly unspentInputs: number;
    readonly unspentSum: number;
    readonly spentInputs: number;
    readonly spentByUnconfirmed: number;
    readonly transactionsWithoutBlock: readonly string[];
    readonly afterSync?: {
      readonly balance: { readonly locked: number; readonly unlocked: number };
      readonly transactionCount: number;
    };
  };
}

/** All files of `wallet/green`, intact and damaged. */
export function recordedGreen(): RecordedGreen[] {
  const { files } = readJson<{ files: Record<string, Omit<RecordedGreen, 'name' | 'path'>> }>(
    'wallet/green/expected.json',
  );
  return Object.entries(files).map(([name, file]) => ({ ...file, name, path: fixturePath(`wallet/green/${name}`) }));
}

export function greenNamed(name: string): RecordedGreen {
  const found = recordedGreen().find((file) => file.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}
