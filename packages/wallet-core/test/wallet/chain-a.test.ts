import { copyFileSync } from 'node:fs';
import { respondAsLiteNode, StandInNode } from '@wrkz/testing';
import { Wallet } from '../../src';
import { fresh } from '../support/folder';
import { amountsFrom, contentOf } from './support/recorded-books';
import {
  begin,
  booksOf,
  FILES,
  keysOf,
  node,
  openFile,
  suite,
  testFile,
  testRestored,
  testScanHeights,
  testView,
} from './support/chain-a-tests';
import { importKeys } from '../support/imports';

/* Representative wallets; the slow test has all of them. */

const NAMES = ['alice.wallet', 'bob-view.wallet', 'carol-nocoinbase.wallet'];
for (const one of FILES) if (NAMES.some((name) => one.file === `wallets/${name}`)) testFile(one);
testRestored('alice', 'seed');
testRestored('dave', 'keys');
testView('dave');
testScanHeights('carol', [333, 600]);

test('at a lite node the scan starts higher with a warning, and a rescan that would lose transactions is refused', async () => {
  const lite = suite.closeAtEnd(respondAsLiteNode(await StandInNode.start(node.url), 300));
  const { privateViewKey, addresses } = keysOf('alice');
  const content = await contentOf({ file: 'wallets/alice.restored.wallet', password: 'secret_alice' });
  const whole = await begin(
    (parts, settings) =>
      importKeys(parts, settings, {
        ...{ privateViewKey, privateSpendKey: addresses[0]?.privateSpendKey ?? '', scanHeight: 0 },
      }),
    { ports: [lite.port] },
  );
  await whole.untilSynced();
  expect(whole.warnings).toEqual([expect.stringContaining('has no blocks below 300')]);
  expect(whole.status).toMatchObject({ liteStartHeight: 300, gap: undefined });
  expect(booksOf(whole)).toEqual(amountsFrom(300, content));
  // A rescan from below the lite height loses no transaction, because the wallet never had one there.
  await whole.wallet.reset(100);
  await whole.untilSynced();
  expect(booksOf(whole)).toEqual(amountsFrom(300, content));
  await whole.close();

  const full = await openFile({ file: 'wallets/alice.wallet', password: 'secret_alice' });
  await full.untilSynced(false);
  const copy = fresh('lite.wallet');
  await full.close();
  copyFileSync(full.file, copy);
  const atLite = await begin((parts, settings) => Wallet.open(parts, settings), {
    ...{ file: copy, password: 'secret_alice', ports: [lite.port] },
  });
  await atLite.untilSynced(false);
  const before = booksOf(atLite);
  await expect(atLite.wallet.reset(299)).rejects.toMatchObject({ code: 62 });
  expect(booksOf(atLite)).toEqual(before);
  await atLite.wallet.reset(300);
  await atLite.untilSynced();
  expect(booksOf(atLite)).toEqual(amountsFrom(300, content));
});

test('a rescan from far below the tip finds the same and reports no fork', async () => {
  const whole = await openFile({ file: 'wallets/alice.wallet', password: 'secret_alice' });
  await whole.untilSynced(false);
  const before = booksOf(whole);
  await whole.wallet.rescan(300);
  await whole.untilSynced(false);
  expect(booksOf(whole)).toEqual(before);
  expect(whole.warnings).toEqual([]);
});

test('each transaction of a scan is recorded once, in a few commits, before it is announced', async () => {
  const { privateViewKey, addresses } = keysOf('alice');
  const whole = await begin(
    (parts, settings) =>
      importKeys(parts, settings, {
        ...{ privateViewKey, privateSpendKey: addresses[0]?.privateSpendKey ?? '', scanHeight: 0 },
      }),
    { ports: [node.daemon.ports.rpc] },
  );
  const recorded = (): string[] =>
    whole.wallet.db.events
      .after(0, 10_000)
      .flatMap(({ kind, transaction = '' }) => (kind === 'transaction' ? [transaction] : []));
  const early: string[] = [];
  whole.wallet.on('transaction', ({ hash }) => {
    if (!recorded().includes(hash)) early.push(hash);
  });
  let commits = 0;
  const transaction = whole.wallet.db.transaction.bind(whole.wallet.db);
  whole.wallet.db.transaction = (work) => {
    commits++;
    return transaction(work);
  };
  await whole.untilSynced();
  const hashes = whole.wallet.snapshot.content.transactions.map(({ hash }) => hash);
  expect(hashes.length).toBeGreaterThan(100);
  expect(recorded()).toEqual(hashes);
  expect(early).toEqual([]);
  expect(commits).toBeLessThan(hashes.length / 2);
});
