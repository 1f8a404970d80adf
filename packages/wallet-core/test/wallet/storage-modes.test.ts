import { chainIdentity } from '@wrkz/core-types';
import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, Suite, type SuiteNode, writeChainADump } from '@wrkz/testing';
import { NodeList } from '@wrkz/client';
import { removeFolders } from '../support/folder';
import { amountsFrom, amountsOf, contentOf } from './support/recorded-books';
import { recordedReport, reportOf, withoutLocks } from './support/report';
import { readByKeys, untilPruned } from './support/storage-modes';
import type { WholeWallet } from './support/whole-wallet';

/* Whole wallets that rescan the chain from pruned and lite daemons (docs/operations/storage-modes.md). */

const LITE_HEIGHT = 300;
const LITE = ['--lite', '--lite-height', String(LITE_HEIGHT)];
/** The pruning floor of a devnet node. */
const PRUNED_TO = CHAIN_A_HEIGHT + 1 - 400;

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const open: WholeWallet[] = [];

afterEach(async () => {
  for (const whole of open.splice(0)) await whole.close();
  removeFolders();
});
afterAll(() => suite.stopAll());

const nodesAt = (port: number): NodeList =>
  new NodeList([{ host: '127.0.0.1', port, ssl: false }], { chain: chainIdentity('devnet') });

const isVerified = ({ wallet }: WholeWallet): boolean =>
  wallet.snapshot.transactions().every(({ unverifiedBlock }) => unverifiedBlock === undefined);

async function readFrom(node: SuiteNode, name: string): Promise<WholeWallet> {
  const whole = await readByKeys(node, name, 0);
  open.push(whole);
  return whole.untilSynced();
}

test('a pruned node serves a full rescan, and outputs that it cannot verify are locked', async () => {
  const full = await suite.node({ from: await suite.chainA() });
  const pruned = await suite.node({ from: await suite.chainA(), args: ['--prune'] });
  await untilPruned(pruned, PRUNED_TO);
  const whole = await readFrom(pruned, 'alice');
  const recorded = recordedReport('alice');
  expect(withoutLocks(reportOf(whole.wallet.snapshot))).toEqual(withoutLocks(recorded));
  await whole.wallet.reset(0);
  await whole.untilSynced();
  expect(withoutLocks(reportOf(whole.wallet.snapshot))).toEqual(withoutLocks(recorded));
  const { unlocked } = whole.wallet.snapshot.balance();
  expect(Number(unlocked)).toBeLessThan(recorded.balance.unlocked);
  await whole.wallet.setNodes(nodesAt(full.daemon.ports.rpc));
  await whole.until(() => whole.wallet.snapshot.balance().unlocked > unlocked && isVerified(whole));
  expect(reportOf(whole.wallet.snapshot)).toEqual(recorded);
  expect(whole.warnings).toEqual([]);
});

test('a lite node serves a rescan from its lite height, and the wallet reports that height', async () => {
  const folder = suite.folder();
  const dump = join(suite.folder(), 'chain-a.dump');
  writeChainADump(dump);
  expect(await suite.run(folder, [...LITE, '--import-blockchain', '--dump-file', dump])).toBe(0);
  const lite = await suite.node({ from: folder, args: LITE });
  const whole = await readFrom(lite, 'dave');
  const { content } = whole.wallet.snapshot;
  const all = await contentOf({ file: 'wallets/dave.restored.wallet', password: 'secret_dave' });
  expect(amountsOf(content, whole.wallet.snapshot.balance())).toEqual(amountsFrom(LITE_HEIGHT, all));
  expect([...new Set(whole.warnings)]).toEqual([expect.stringContaining(`has no blocks below ${LITE_HEIGHT}`)]);
});
