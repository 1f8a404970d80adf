import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isContainer } from '../../../src/container/encrypted-file';
import { WalletFile } from '../../../src/container/wallet-file';
import { Ledger } from '../../../src/ledger/ledger';
import type { WalletContent } from '../../../src/ledger/model';
import { walletBalance } from '../../../src/ledger/queries';
import { seedOf } from '../../../src/keys/wallet-keys';
import { chainATransactions, RECORDED_AT } from '../../ledger/support/chain-a-wallets';
import { fresh, removeFolders } from '../../support/folder';
import { errorNameOf } from '../../support/rejection';
import { greenNamed, type RecordedGreen, recordedGreen } from './support/recorded-green';

/* Every recorded WalletGreen file, intact and damaged, compared with the recorded results of the C++ wallets. */

afterEach(removeFolders);

const NO_SECRET = '0'.repeat(64);
/** The error of each kind of damage. */
const ERRORS = {
  version: 'notAWalletFile',
  damaged: 'notAWalletFile',
  password: 'wrongPassword',
  mixed: 'walletFileCorrupted',
} as const;

const files = recordedGreen();
const intact = files.filter(({ opens }) => opens === 'yes');

/**
 * The amount of alice's pending send to bob. The C++ wallet counted it as locked until bob's file was opened with a node that
 * did not have the transaction.
 */
function sentToBob(): bigint {
  const { balance, conversion } = greenNamed('bob-incoming.green');
  return BigInt(balance?.locked ?? 0) - BigInt(conversion?.afterSync?.balance.locked ?? 0);
}

/** The payment ids that the wallets of chain A report, by transaction. Only the receiver can decrypt a short one. */
const paymentIds = new Map<string, Set<string>>();
for (const { hash, paymentID } of chainATransactions()) {
  const ids = paymentIds.get(hash) ?? new Set();
  paymentIds.set(hash, ids.add(paymentID));
}

function copied({ path }: RecordedGreen): string {
  const file = fresh('old.wallet');
  copyFileSync(path, file);
  return file;
}

const filesBeside = (file: string): string[] => readdirSync(dirname(file)).filter((name) => name !== 'old.wallet.lock');

test('the fixtures are 26 intact and 42 damaged files', () => {
  expect(files.filter(({ name }) => !name.startsWith('damaged/'))).toHaveLength(26);
  expect(files.filter(({ name }) => name.startsWith('damaged/'))).toHaveLength(42);
});

describe.each(intact)('$name', (recorded) => {
  const { password, addresses = [], viewSecretKey, conversion } = recorded;

  test('opens with its keys, addresses, history and balances, and is copied', async () => {
    const file = copied(recorded);
    const before = readFileSync(file);
    const { walletFile, content, converted } = await WalletFile.open(file, password);
    await walletFile.close();

    expect(isContainer(readFileSync(file))).toBe(true);
    expect(filesBeside(file).sort()).toEqual(['old-version-backup-old.wallet', 'old.wallet']);
    expect(converted?.backup).toBe(join(dirname(walletFile.file), 'old-version-backup-old.wallet'));
    expect(readFileSync(converted?.backup ?? '').equals(before)).toBe(true);
    expect(converted?.scanStart).toEqual({ height: content.startHeight, timestamp: content.startTimestamp });

    expect(content.privateViewKey).toBe(viewSecretKey);
    expect(
      content.subWallets.map(({ publicSpendKey, privateSpendKey, syncStartTimestamp, syncStartHeight }) => ({
        publicSpendKey,
        secretSpendKey: privateSpendKey ?? NO_SECRET,
        creationTimestamp: syncStartTimestamp,
        syncStartHeight,
      })),
    ).toEqual(
      addresses.map(({ publicSpendKey, secretSpendKey, creationTimestamp }) => ({
        publicSpendKey,
        secretSpendKey,
        creationTimestamp,
        syncStartHeight: 0,
      })),
    );
    for (const [i, { address }] of addresses.entries()) {
      if (address !== undefined) expect(content.subWallets[i]?.address).toBe(address);
    }
    expect(content.isViewWallet).toBe(addresses.some(({ secretSpendKey }) => secretSpendKey === NO_SECRET));
    if (conversion !== undefined) {
      expect(content.isViewWallet).toBe(conversion.isViewWallet);
      expect(content.subWallets.find(({ isPrimary }) => isPrimary)?.address ?? null).toBe(conversion.primaryAddress);
    }
    if (typeof recorded.mnemonicSeed === 'string')
      expect(
        seedOf(content.subWallets.find(({ isPrimary }) => isPrimary)?.privateSpendKey, content.privateViewKey),
      ).toBe(recorded.mnemonicSeed);
    // Never the height that the reference computes: it is too high, or overflows.
    expect(content.startHeight).toBe(0);
    const earliest = Math.min(...addresses.map(({ creationTimestamp }) => creationTimestamp));
    if (addresses.length > 0) expect(content.startTimestamp).toBeLessThanOrEqual(earliest);

    expectHistory(recorded, content);
    expectBalances(recorded, content);
    expectCache(recorded, content, converted?.lostCache);
  });
});

function expectHistory({ transactions }: RecordedGreen, content: WalletContent): void {
  if (transactions === undefined) return;
  const sum = (transfers: readonly { readonly amount: bigint }[]): bigint =>
    transfers.reduce((total, { amount }) => total + amount, 0n);
  const listed = content.transactions.map((transaction) => ({
    hash: transaction.hash,
    blockHeight: transaction.blockHeight,
    amount: String(sum(transaction.transfers)),
    fee: String(transaction.fee),
    isBase: transaction.isCoinbase,
    timestamp: transaction.timestamp,
    unlockTime: Number(transaction.unlockTime),
  }));
  const byHash = <T extends { readonly hash: string }>(list: readonly T[]): T[] =>
    list.toSorted((a, b) => a.hash.localeCompare(b.hash));
  expect(byHash(listed)).toEqual(
    byHash(
      transactions.map(({ hash, blockHeight, amount, fee, isBase, timestamp, unlockTime }) => ({
        hash,
        blockHeight,
        amount,
        fee,
        isBase,
        timestamp,
        unlockTime,
      })),
    ),
  );
  const paymentIdOf = new Map(content.transactions.map(({ hash, paymentId }) => [hash, paymentId]));
  for (const { hash, paymentId } of transactions) {
    // WalletGreen did not know short payment ids, and missed long ones in unusual extras.
    const reported = paymentIds.get(hash) ?? [];
    expect(paymentId === '' ? ['', ...reported] : [paymentId]).toContain(paymentIdOf.get(hash));
  }
}

function expectBalances(recorded: RecordedGreen, content: WalletContent): void {
  const { balance, addresses = [], delayed = [], unconfirmed = [], synchronised } = recorded;
  if (balance === undefined) return;
  const ledger = new Ledger(content);
  const height = (synchronised?.blocks ?? 1) - 1;
  const balanceOf = (keys?: readonly string[]): bigint[] => {
    const { unlocked, locked } = walletBalance(ledger.content(), { height, timestamp: RECORDED_AT }, keys);
    return [unlocked, locked];
  };
  const [available, locked] = [BigInt(balance.available), BigInt(balance.locked)];
  if (delayed.length > 0) {
    // A pending send is deducted. An unsent transaction is not, although WalletGreen deducted it.
    const before = greenNamed('alice-synced.green').balance;
    const [send] = content.unconfirmed;
    const [unlockedNow = 0n, lockedNow = 0n] = balanceOf();
    expect(content.unconfirmed.map(({ hash }) => hash)).toEqual(unconfirmed);
    expect(unlockedNow + lockedNow).toBe(
      BigInt(before?.available ?? 0) + BigInt(before?.locked ?? 0) - sentToBob() - (send?.fee ?? 0n),
    );
  } else if (unconfirmed.length > 0) {
    expect(content.unconfirmed).toEqual([]);
    expect(balanceOf()).toEqual([available, locked - sentToBob()]);
  } else {
    expect(balanceOf()).toEqual([available, locked]);
    for (const { publicSpendKey, balance: own } of addresses) {
      if (own !== undefined) expect(balanceOf([publicSpendKey])).toEqual([BigInt(own.available), BigInt(own.locked)]);
    }
  }
}

function expectCache({ name, cacheLevel }: RecordedGreen, content: WalletContent, lostCache: string | undefined): void {
  const isLost = cacheLevel === 'unreadable' || name === 'killed.green' || name === 'damaged/flip-cache-hash.green';
  expect(lostCache === undefined).toBe(!isLost);
  if (isLost) expect(content.transactions).toEqual([]);
}

describe.each(files.filter(({ opens }) => opens !== 'yes'))('$name', (recorded) => {
  test(`is refused as ${recorded.opens} and not changed`, async () => {
    const file = copied(recorded);
    const { opens, password, path } = recorded;
    if (opens !== 'yes') expect(await errorNameOf(WalletFile.open(file, password))).toBe(ERRORS[opens]);
    expect(readFileSync(file).equals(readFileSync(path))).toBe(true);
    expect(filesBeside(file)).toEqual([basename(file)]);
  });
});

test.each(intact.filter(({ wrongPasswords }) => wrongPasswords !== undefined))(
  '$name is refused with another password and not changed',
  async (recorded) => {
    const file = copied(recorded);
    for (const password of recorded.wrongPasswords ?? []) {
      expect(await errorNameOf(WalletFile.open(file, password))).toBe('wrongPassword');
    }
    expect(readFileSync(file).equals(readFileSync(recorded.path))).toBe(true);
    expect(filesBeside(file)).toEqual([basename(file)]);
  },
);
