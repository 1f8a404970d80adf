import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, chainAWallet, StandInNode, Suite, type SuiteNode } from '@wrkz/testing';
import { Wallet } from '../../src';
import { removeFolders } from '../support/folder';
import { WholeWallet } from './support/whole-wallet';
import { importKeys } from '../support/imports';

/* Transactions of blocks that no node has proved, in a whole wallet and its files. */

const alice = chainAWallet('alice');
const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const wallets: WholeWallet[] = [];
let node: SuiteNode;
let pruned: StandInNode;

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
  pruned = suite.closeAtEnd(await StandInNode.start(node.url));
  pruned.on('/getrawblocks', ({ body }, behind) => behind({ ...body, startHeight: CHAIN_A_HEIGHT }));
});

afterAll(async () => {
  await suite.stopAll();
  removeFolders();
});

afterEach(async () => {
  for (const wallet of wallets.splice(0)) await wallet.close();
});

const imported: Parameters<typeof WholeWallet.begin>[0] = (parts, settings) =>
  importKeys(parts, settings, {
    privateViewKey: alice.viewSecret.toString('hex'),
    privateSpendKey: alice.spendSecret.toString('hex'),
    scanHeight: 650,
  });
const existing: typeof imported = (parts, settings) => Wallet.open(parts, settings);

async function begin(way: typeof imported, port: number, file?: string): Promise<WholeWallet> {
  const whole = await WholeWallet.begin(way, { ports: [port], ...(file !== undefined && { file }) });
  wallets.push(whole);
  return whole;
}

const unverifiedOf = ({ wallet }: WholeWallet): string[] =>
  wallet.snapshot
    .transactions()
    .filter(({ unverifiedBlock }) => unverifiedBlock !== undefined)
    .map(({ hash }) => hash);

const kindsOf = ({ wallet }: WholeWallet): string[] => wallet.db.events.after(0, 10_000).map(({ kind }) => kind);

test('stays unverified and locked after a restart, and is reported as verified once a node verifies it', async () => {
  const first = await begin(imported, pruned.port);
  await first.untilSynced();
  const total = first.wallet.snapshot.balance().locked;
  expect(first.wallet.snapshot.balance().unlocked).toBe(0n);
  const hashes = unverifiedOf(first);
  expect(hashes.length).toBeGreaterThan(0);
  expect(kindsOf(first)).toContain('transaction-unverified');
  expect(kindsOf(first)).not.toContain('transaction');
  await first.close();

  const second = await begin(existing, pruned.port, first.file);
  await second.untilSynced();
  expect(unverifiedOf(second)).toEqual(hashes);
  expect(second.wallet.snapshot.balance()).toEqual({ unlocked: 0n, locked: total });
  await second.close();

  const third = await begin(existing, node.daemon.ports.rpc, first.file);
  const announced: string[] = [];
  third.wallet.on('transaction', ({ hash, unverifiedBlock }) => {
    if (unverifiedBlock === undefined) announced.push(hash);
  });
  await third.until(() => unverifiedOf(third).length === 0);
  expect(announced.toSorted()).toEqual(hashes.toSorted());
  const { unlocked, locked } = third.wallet.snapshot.balance();
  expect(unlocked).toBeGreaterThan(0n);
  expect(unlocked + locked).toBe(total);
  expect(kindsOf(third)).toContain('transaction');
});

test('stays verified after a restart with an honest node', async () => {
  const first = await begin(imported, node.daemon.ports.rpc);
  await first.untilSynced();
  const balance = first.wallet.snapshot.balance();
  expect(balance.unlocked).toBeGreaterThan(0n);
  await first.close();
  const again = await begin(existing, pruned.port, first.file);
  await again.untilSynced();
  expect(unverifiedOf(again)).toEqual([]);
  expect(again.wallet.snapshot.balance()).toEqual(balance);
});
