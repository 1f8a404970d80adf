import { decodeAddress } from '@wrkz/core-types';
import { CHAIN_A_HEIGHT, readJson } from '@wrkz/testing';
import type { WalletContent } from '../../../src/ledger/model';
import { Ledger } from '../../../src/ledger/ledger';
import { type ScanningKeys, scanChainA, type ScannedChainBlock, spendKeysOf } from './chain-a-scan';
import { emptyContent, emptySubWallet } from './contents';

export interface RecordedTransaction {
  readonly blockHeight: number;
  readonly fee: number;
  readonly hash: string;
  readonly isCoinbaseTransaction: boolean;
  readonly paymentID: string;
  readonly timestamp: number;
  readonly transfers: readonly { readonly address: string; readonly amount: number }[];
  readonly unlockTime: number;
}

interface RecordedWallet {
  readonly of?: string;
  readonly scanCoinbase?: boolean;
  readonly address?: string;
  readonly keys?: {
    readonly privateViewKey: string;
    readonly addresses: readonly { readonly address: string; readonly privateSpendKey: string }[];
  };
  readonly walletFile?: { readonly file: string; readonly password: string };
  readonly restoredWalletFile?: { readonly file: string; readonly password: string };
  readonly report: {
    readonly balance: { readonly locked: number; readonly unlocked: number };
    readonly balances: readonly { readonly address: string; readonly locked: number; readonly unlocked: number }[];
    readonly transactions: readonly RecordedTransaction[];
  };
}

export const recorded = readJson<{ wallets: Record<string, RecordedWallet>; notes: { time: string } }>(
  'devnet/chain-a-expected.json',
);

/** Unix seconds of the recording, for unlock times. */
export const RECORDED_AT = Number(/now=(\d+)/.exec(recorded.notes.time)?.[1]);

/** The recorded transactions of all wallets. */
export function chainATransactions(): RecordedTransaction[] {
  return Object.values(recorded.wallets).flatMap(({ report }) => report.transactions);
}

/** A wallet of chain A, scanned by this suite. */
export interface ReadWallet {
  readonly name: string;
  readonly report: RecordedWallet['report'];
  /** The container that the reference wrote after the same scan. */
  readonly file: { readonly file: string; readonly password: string };
  readonly keys: ScanningKeys;
  readonly empty: WalletContent;
  readonly chain: readonly ScannedChainBlock[];
}

export function readWallet(name: string): Promise<ReadWallet> {
  const read = cache.get(name) ?? scan(name);
  cache.set(name, read);
  return read;
}

const cache = new Map<string, Promise<ReadWallet>>();

async function scan(name: string): Promise<ReadWallet> {
  const wallet = recorded.wallets[name];
  const source = recorded.wallets[wallet?.of ?? name];
  const file = wallet?.restoredWalletFile ?? wallet?.walletFile;
  if (wallet === undefined || source?.keys === undefined || file === undefined) throw new Error(`no wallet ${name}`);
  const isViewWallet = wallet.address !== undefined && wallet.scanCoinbase === true;
  const { privateViewKey, addresses } = source.keys;
  const spendKeys = spendKeysOf(addresses.map(({ privateSpendKey }) => privateSpendKey)).map((pair) =>
    isViewWallet ? { ...pair, secretKey: undefined } : pair,
  );
  const keys: ScanningKeys = { viewSecret: Buffer.from(privateViewKey, 'hex'), spendKeys };
  const scanned = await scanChainA(keys);
  const skipsCoinbases = wallet.scanCoinbase === false;
  // Nodes leave out blocks without transactions for such a wallet, except the tip.
  const chain = scanned
    .filter(({ block }) => !skipsCoinbases || block.transactions.length > 0 || block.height === CHAIN_A_HEIGHT)
    .map((one) => (skipsCoinbases ? { ...one, block: { ...one.block, coinbase: undefined } } : one));
  const subWallets = addresses.map(({ address, privateSpendKey }, i) =>
    emptySubWallet(decodeAddress(address).spendPublic.toString('hex'), {
      address,
      isPrimary: i === 0,
      privateSpendKey: isViewWallet ? undefined : privateSpendKey,
    }),
  );
  const empty = emptyContent(subWallets, { privateViewKey, isViewWallet });
  return { name, report: wallet.report, file, keys, empty, chain };
}

/** Applies blocks as a node returns them. */
export function applyAll(ledger: Ledger, blocks: readonly ScannedChainBlock[]): void {
  for (const { block, found, decrypted, globalIndexes } of blocks) {
    ledger.apply(block, found, decrypted);
    ledger.setGlobalIndexes(globalIndexes);
  }
}
