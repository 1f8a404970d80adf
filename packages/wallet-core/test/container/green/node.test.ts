import { copyFileSync, writeFileSync } from 'node:fs';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, Suite, type SuiteNode } from '@wrkz/testing';
import { contentText } from '../../../src/container/encrypted-file';
import { walletBalance } from '../../../src/ledger/queries';
import { Wallet } from '../../../src/wallet/wallet';
import { recorded, RECORDED_AT } from '../../ledger/support/chain-a-wallets';
import { containerOf } from '../../support/container-bytes';
import { fresh, removeFolders } from '../../support/folder';
import { served, untilAtTip } from '../../support/served';
import { readGreen } from './support/read-green';
import { greenNamed } from './support/recorded-green';
import { greenFile, PASSWORD } from './support/sealed';

/* WalletGreen files, opened with a daemon that has chain A. The tests check the converted wallet after the scan. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
let node: SuiteNode;

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
});

afterEach(removeFolders);
afterAll(() => suite.stopAll());

interface Read {
  readonly balance: { readonly unlocked: number; readonly locked: number };
  /** Mined transactions. */
  readonly hashes: readonly string[];
  readonly unconfirmed: readonly string[];
  readonly startHeight: number;
  readonly startTimestamp: number;
  readonly height: number;
  readonly lostCache: string | undefined;
}

/** Opens a file, scans the chain and closes. @returns the state after opening again */
async function readAtTip(file: string, password: string): Promise<Read> {
  const first = await served(Wallet.open, { file, password, port: node.daemon.ports.rpc });
  await untilAtTip(first);
  expect(first.syncStatus.isConverting).toBe(false);
  await first.close();
  expect(first.converted?.backup).toContain('old-version-backup-');
  const second = await served(Wallet.open, { file, password, port: node.daemon.ports.rpc });
  const { content } = second.snapshot;
  await second.close();
  expect(second.converted).toBeUndefined();
  const { unlocked, locked } = walletBalance(content, { height: CHAIN_A_HEIGHT, timestamp: RECORDED_AT });
  return {
    balance: { unlocked: Number(unlocked), locked: Number(locked) },
    hashes: content.transactions.map(({ hash }) => hash).sort(),
    unconfirmed: content.unconfirmed.map(({ hash }) => hash),
    startHeight: content.startHeight,
    startTimestamp: content.startTimestamp,
    height: content.progress.height,
    lostCache: first.converted?.lostCache,
  };
}

function readGreenAtTip(name: string): Promise<Read> {
  const { path, password } = greenNamed(name);
  const file = fresh('old.wallet');
  copyFileSync(path, file);
  return readAtTip(file, password);
}

const expected = (name: string): Pick<Read, 'balance' | 'hashes'> => {
  const { balance, transactions } = recorded.wallets[name]!.report;
  return { balance, hashes: transactions.map(({ hash }) => hash).sort() };
};

test.each([
  ['alice-synced.green', 'alice'],
  // The converter of the C++ wallets starts the scan of this file above the tip.
  ['alice-scan-high.green', 'alice'],
  ['reset.green', 'alice'],
  ['killed.green', 'alice'],
])('%s has exactly the transactions of the chain after the scan', async (name, wallet) => {
  expect(await readGreenAtTip(name)).toMatchObject({ ...expected(wallet), unconfirmed: [], height: CHAIN_A_HEIGHT });
});

test('a view-only file has the incoming transactions', async () => {
  const { balance, transactionCount } = greenNamed('tracking-three.green').conversion!.afterSync!;
  const read = await readGreenAtTip('tracking-three.green');
  expect(read.balance).toEqual(balance);
  expect(read.hashes).toHaveLength(transactionCount);
});

test('a pending send stays unconfirmed, and an unsent transaction is removed', async () => {
  const { unconfirmed } = greenNamed('alice-pending.green');
  expect(await readGreenAtTip('alice-pending.green')).toMatchObject({ hashes: expected('alice').hashes, unconfirmed });
});

test('keys that were created after the last block have no transactions at its height', async () => {
  const read = await readGreenAtTip('carol-view-unscanned.green');
  expect(read).toMatchObject({ balance: { unlocked: 0, locked: 0 }, hashes: [], height: CHAIN_A_HEIGHT });
});

const timeOf = async (height: number): Promise<number> => {
  const { block_header } = await node.rpc<{ block_header: { timestamp: number } }>('getblockheaderbyheight', {
    height,
  });
  return block_header.timestamp;
};

test('the scan begins at the block of the creation time and finds later transactions', async () => {
  const { keys, report } = recorded.wallets['alice']!;
  const [first] = keys!.addresses;
  const file = fresh('old.wallet');
  const secrets = {
    view: Buffer.from(keys!.privateViewKey, 'hex'),
    spend: Buffer.from(first!.privateSpendKey, 'hex'),
  };
  writeFileSync(file, greenFile(Buffer.alloc(0), BigInt(await timeOf(600)), secrets));
  const { startTimestamp, startHeight, hashes } = await readAtTip(file, PASSWORD);
  expect(startTimestamp).toBe(0);
  expect(startHeight).toBeGreaterThan(100);
  expect(startHeight).toBeLessThanOrEqual(600);
  const since = report.transactions.filter(({ blockHeight }) => blockHeight >= startHeight);
  const received = since.filter(({ transfers }) => transfers.some(({ amount }) => amount > 0));
  expect(received.length).toBeGreaterThan(0);
  expect(hashes).toEqual(expect.arrayContaining(received.map(({ hash }) => hash)));
  expect(since.map(({ hash }) => hash)).toEqual(expect.arrayContaining([...hashes]));
});

test('the history below the creation time is retained, and later blocks are rescanned', async () => {
  const { path, password } = greenNamed('alice-synced.green');
  const { content } = (await readGreen(path, password))!;
  const file = fresh('a.wallet');
  writeFileSync(file, containerOf(password, contentText({ ...content, startTimestamp: await timeOf(600) })));
  const open = await served(Wallet.open, { file, password, port: node.daemon.ports.rpc });
  await untilAtTip(open);
  const { startHeight, transactions } = open.snapshot.content;
  await open.close();
  expect(startHeight).toBeGreaterThan(100);
  expect(startHeight).toBeLessThanOrEqual(600);
  const old = content.transactions.filter(({ blockHeight }) => blockHeight < startHeight).map(({ hash }) => hash);
  const { transactions: all } = recorded.wallets['alice']!.report;
  const since = all.filter(({ blockHeight }) => blockHeight >= startHeight).map(({ hash }) => hash);
  expect(transactions.map(({ hash }) => hash).sort()).toEqual([...old, ...since].sort());
});
