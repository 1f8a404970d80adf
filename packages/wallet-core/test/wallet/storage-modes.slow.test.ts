import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { chainAWallet, Suite, type SuiteNode } from '@wrkz/testing';
import { removeFolders } from '../support/folder';
import { amountsOf } from './support/recorded-books';
import { reportOf, withoutLocks } from './support/report';
import { readByKeys, untilPruned } from './support/storage-modes';
import type { WholeWallet } from './support/whole-wallet';

/* Whole wallets scan chain A, extended to 3,000 blocks, from a full, a pruned and a lite node. */

const COUNT = 3_000;
const STEP = 60;
const LITE_HEIGHT = 2_000;
const LITE = ['--lite', '--lite-height', String(LITE_HEIGHT)];
const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const open: WholeWallet[] = [];

afterAll(async () => {
  for (const whole of open.splice(0)) await whole.close();
  removeFolders();
  await suite.stopAll();
});

async function read(node: SuiteNode, name: string, scanHeight = 0): Promise<WholeWallet> {
  const whole = await readByKeys(node, name, scanHeight);
  open.push(whole);
  await whole.untilHeight(COUNT - 1);
  return whole;
}

test('wallets scan 3,000 blocks from every storage mode', async () => {
  const grown = await suite.node({ from: await suite.chainA() });
  const miner = chainAWallet('alice').address;
  while (grown.height < COUNT - 1) await grown.generate(miner, Math.min(STEP, COUNT - 1 - grown.height));
  await grown.stop();
  const dump = join(suite.folder(), 'grown.dump');
  expect(await suite.run(grown.dataDir, ['--export-blockchain', '--dump-file', dump])).toBe(0);
  const folder = suite.folder();
  expect(await suite.run(folder, [...LITE, '--import-blockchain', '--dump-file', dump])).toBe(0);
  const full = await suite.node({ from: grown.dataDir });
  const pruned = await suite.node({ from: grown.dataDir, args: ['--prune'] });
  const lite = await suite.node({ from: folder, args: LITE });
  await untilPruned(pruned, COUNT - 400);
  for (const name of ['alice', 'bob', 'dave']) {
    const whole = await read(full, name);
    expect(whole.wallet.snapshot.content.transactions.length).toBeGreaterThan(10);
    const fromPruned = (await read(pruned, name)).wallet.snapshot;
    expect(withoutLocks(reportOf(fromPruned))).toEqual(withoutLocks(reportOf(whole.wallet.snapshot)));
    const upper = (await read(full, name, LITE_HEIGHT)).wallet.snapshot;
    const { snapshot } = (await read(lite, name)).wallet;
    expect(amountsOf(snapshot.content, snapshot.balance())).toEqual(amountsOf(upper.content, upper.balance()));
  }
});
