import { copyFileSync } from 'node:fs';
import { Daemon, readConfig } from '@wrkz/daemon';
import { runInSlices, silentLogger } from '@wrkz/service-kit';
import { fixturePath, readJson, Suite, type SuiteNode } from '@wrkz/testing';
import { seedOf, Wallet, type WalletContent } from '../../../src';
import { decodeContent } from '../../../src/container/content';
import { readContainer } from '../../../src/container/encrypted-file';
import { fresh, removeFolders } from '../../support/folder';
import { comparable, listAt, plain } from '../../support/plain';
import { amountsFrom, amountsOf, contentOf, type RecordedFile, textOf } from './recorded-books';
import { recordedReport, reportOf } from './report';
import { WholeWallet } from './whole-wallet';
import { importKeys, importSeed, importView } from '../../support/imports';

/* Tests of whole wallets with files and a daemon that has chain A, compared with the reports and files of the reference. */

interface RecordedKeys {
  readonly privateViewKey: string;
  readonly addresses: readonly {
    readonly address: string;
    readonly privateSpendKey: string;
    readonly walletIndex: number;
    readonly mnemonic: string | null;
  }[];
}

interface RecordedKey {
  readonly of?: string;
  readonly address?: string;
  readonly scanCoinbase?: boolean;
  readonly keys?: RecordedKeys;
  readonly walletFile?: RecordedFile;
  readonly restoredWalletFile?: RecordedFile;
  readonly txPrivateKeys?: readonly { readonly hash: string; readonly key: string }[];
}

const { wallets } = readJson<{ wallets: Record<string, RecordedKey> }>('devnet/chain-a-expected.json');
/** The recorded files of all wallets. */
export const FILES = Object.entries(wallets).flatMap(([name, { walletFile, restoredWalletFile }]) =>
  [walletFile, restoredWalletFile].flatMap((file) => (file === undefined ? [] : [{ ...file, name }])),
);
/** The wallets with recorded keys of their own; a view wallet has those of another one. */
export const OWN = Object.keys(wallets).filter((name) => wallets[name]?.keys !== undefined);
const SEEDS = OWN.filter((name) => keysOf(name).addresses[0]?.mnemonic !== null);

export function keysOf(name: string): RecordedKeys {
  const keys = wallets[wallets[name]?.of ?? name]?.keys;
  if (keys === undefined) throw new Error(`no keys of ${name}`);
  return keys;
}

export const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const open: WholeWallet[] = [];
export let node: SuiteNode;

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
});

afterEach(async () => {
  for (const whole of open.splice(0)) await whole.close();
  removeFolders();
});

afterAll(() => suite.stopAll());

export async function begin(
  way: Parameters<typeof WholeWallet.begin>[0],
  options: Partial<Parameters<typeof WholeWallet.begin>[1]> = {},
): Promise<WholeWallet> {
  const whole = await WholeWallet.begin(way, { ports: [node.daemon.ports.rpc], ...options });
  open.push(whole);
  return whole;
}

export function openFile({ file, password }: RecordedFile, skipCoinbases = false): Promise<WholeWallet> {
  const copy = fresh('copy.wallet');
  copyFileSync(fixturePath(`devnet/${file}`), copy);
  return begin((parts, settings) => Wallet.open(parts, settings), { file: copy, password, skipCoinbases });
}

/** A wallet restored from its recorded seed or keys, with every sub-wallet. */
async function restored(name: string, scanHeight: number, by: 'seed' | 'keys'): Promise<WholeWallet> {
  const { privateViewKey, addresses } = keysOf(name);
  const [primary, ...others] = addresses;
  const { privateSpendKey = '', mnemonic } = primary ?? {};
  const whole = await begin((parts, settings) =>
    by === 'seed'
      ? importSeed(parts, settings, { words: mnemonic ?? '', scanHeight })
      : importKeys(parts, settings, { privateViewKey, privateSpendKey, scanHeight }),
  );
  for (const other of others) await whole.wallet.importSubWallet(other.privateSpendKey, scanHeight);
  return whole;
}

function expectKeys({ privateViewKey, subWallets }: WalletContent, name: string): void {
  const recorded = keysOf(name);
  expect(privateViewKey).toBe(recorded.privateViewKey);
  const own = new Map(subWallets.map((subWallet) => [subWallet.address, subWallet]));
  expect([...own.keys()].sort()).toEqual(recorded.addresses.map(({ address }) => address).sort());
  for (const { address, privateSpendKey, walletIndex, mnemonic } of recorded.addresses) {
    expect(own.get(address)).toMatchObject({ privateSpendKey, walletIndex });
    if (mnemonic !== null) expect(seedOf(own.get(address)?.privateSpendKey, privateViewKey)).toBe(mnemonic);
  }
}

/** The ways to restore a wallet: by keys if it has no seed words, and both for dave, who has several addresses. */
export const waysTo = (name: string): readonly ('seed' | 'keys')[] => {
  if (!SEEDS.includes(name)) return ['keys'];
  return name === 'dave' ? ['seed', 'keys'] : ['seed'];
};

export const booksOf = ({ wallet: { snapshot } }: WholeWallet): ReturnType<typeof amountsOf> =>
  amountsOf(snapshot.content, snapshot.balance());

export function testFile({ name, file, password }: (typeof FILES)[number]): void {
  const isView = name === 'bob-view';

  test(`${file} reports the same state after opening, synchronizing and a rescan`, async () => {
    const whole = await (await openFile({ file, password }, wallets[name]?.scanCoinbase === false)).untilSynced(false);
    const report = recordedReport(name);
    expect(reportOf(whole.wallet.snapshot)).toEqual(report);
    if (!isView) expectKeys(whole.wallet.snapshot.content, name);
    // A restored file has no transaction keys, because it never sent.
    const isLive = file === wallets[name]?.walletFile?.file;
    for (const { hash, key } of (isLive ? wallets[name]?.txPrivateKeys : undefined) ?? []) {
      expect(whole.wallet.snapshot.transactionKey(hash)).toBe(key);
    }
    // One rescan per wallet is enough.
    if (!isLive && wallets[name]?.walletFile !== undefined) return;
    await whole.wallet.reset(0);
    await whole.untilSynced();
    expect(reportOf(whole.wallet.snapshot)).toEqual(report);
    if (!isView) expectKeys(whole.wallet.snapshot.content, name);
    expect(whole.warnings).toEqual([]);
    // `testRestored` compares the restored file of a wallet with recorded keys.
    if (!OWN.includes(name)) await expectSameFile(whole, { file, password });
  });
}

const restoredFileOf = (name: string): RecordedFile => wallets[name]?.restoredWalletFile ?? { file: '', password: '' };

async function expectSameFile(whole: WholeWallet, file: RecordedFile): Promise<void> {
  await whole.close();
  const written = await readContainer(whole.file, whole.password);
  expect(ofTheReference(written.toString())).toEqual(ofTheReference(await textOf(file)));
  expect(await runInSlices(decodeContent(written))).toMatchObject({
    transactions: whole.wallet.snapshot.content.transactions,
  });
}

export function testRestored(name: string, by: 'seed' | 'keys'): void {
  test(`${name} restored from its ${by} has every balance, transaction, payment id and key, and writes the same file`, async () => {
    const whole = await (await restored(name, 0, by)).untilSynced();
    expect(reportOf(whole.wallet.snapshot)).toEqual(recordedReport(name));
    expectKeys(whole.wallet.snapshot.content, name);
    await expectSameFile(whole, restoredFileOf(name));
  });
}

export function testView(name: string): void {
  test(`a view wallet of ${name} has the incoming transactions and nothing else`, async () => {
    const { privateViewKey, addresses } = keysOf(name);
    const [{ address = '' } = {}, ...others] = addresses;
    const whole = await begin((parts, settings) =>
      importView(parts, settings, { privateViewKey, address, scanHeight: 0 }),
    );
    const content = await contentOf(restoredFileOf(name));
    for (const other of others) {
      const { publicSpendKey = '' } = content.subWallets.find((one) => one.address === other.address) ?? {};
      await whole.wallet.importViewSubWallet(publicSpendKey, 0);
    }
    await whole.untilSynced();
    expect(booksOf(whole)).toEqual(amountsFrom(0, content, true));
    const idOf = new Map(recordedReport(name).transactions.map(({ hash, paymentID }) => [hash, paymentID]));
    for (const { hash, paymentId } of whole.wallet.snapshot.transactions()) expect(paymentId).toBe(idOf.get(hash));
  });
}

export function testScanHeights(name: string, heights: readonly number[]): void {
  test(`${name} scanned from a middle height has the transactions above that height`, async () => {
    const content = await contentOf(restoredFileOf(name));
    for (const height of heights) {
      const whole = await (await restored(name, height, 'keys')).untilSynced();
      expect({ height, ...booksOf(whole) }).toEqual({ height, ...amountsFrom(height, content) });
      // A rescan from below finds the older transactions, one from above drops them.
      await whole.wallet.reset(height === 333 ? 0 : 650);
      await whole.untilSynced();
      expect(booksOf(whole)).toEqual(amountsFrom(height === 333 ? 0 : 650, content));
      await whole.close();
    }
  });
}

/**
 * A container for comparison, without the fields that only our wallet writes, the lists of hashes, and the index counter: one
 * sub-wallet of dave was restored by its index.
 */
function ofTheReference(text: string): ReturnType<typeof plain> {
  const document = comparable(text);
  const status = (document['walletSynchronizer'] as ReturnType<typeof plain>)[
    'transactionSynchronizerStatus'
  ] as ReturnType<typeof plain>;
  for (const name of ['blockHashCheckpoints', 'lastKnownBlockHashes']) delete status[name];
  delete document['walletDb'];
  delete document['walletDbPosition'];
  delete (document['subWallets'] as ReturnType<typeof plain>)['subWalletIndexCounter'];
  for (const transaction of listAt(document, 'subWallets', 'transactions'))
    sortBy('publicKey', listAt(transaction, 'transfers'));
  for (const subWallet of listAt(document, 'subWallets', 'subWallet')) {
    delete subWallet['retiredKeys'];
    for (const list of ['unspentInputs', 'lockedInputs', 'spentInputs']) {
      const inputs = listAt(subWallet, list);
      if (list === 'spentInputs') for (const input of inputs) delete input['spendingTransactionHash'];
      sortBy('key', inputs);
    }
  }
  return document;
}

function sortBy(name: string, list: ReturnType<typeof listAt>): void {
  list.sort((a, b) => ((a[name] as string) < (b[name] as string) ? -1 : 1));
}
