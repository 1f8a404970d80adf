import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import { Ledger } from '../../../src/ledger/ledger';
import type { WalletContent } from '../../../src/ledger/model';
import { isHistoryUnconfirmed } from '../../../src/container/green/convert';
import { applyAll, readWallet, RECORDED_AT } from '../../ledger/support/chain-a-wallets';
import { greenNamed } from './support/recorded-green';
import { readGreen } from './support/read-green';

/* What is converted and then reads the chain must know what a wallet knows that has read nothing else. */

async function contentOf(name: string): Promise<WalletContent> {
  const { path, password } = greenNamed(name);
  const read = await readGreen(path, password);
  if (read === undefined) throw new Error(`${name} is no container`);
  return read.content;
}

const withoutHistory = (content: WalletContent): WalletContent => ({
  ...content,
  subWallets: content.subWallets.map((one) => ({
    ...one,
    unspent: [],
    locked: [],
    spent: [],
    unconfirmedIncoming: [],
  })),
  transactions: [],
  unconfirmed: [],
  progress: { height: 0, recentHashes: [], checkpointHashes: [] },
});

/** The ledger after a scan; genesis is passed, as the synchronization does. */
async function scanned(content: WalletContent, wallet: string): Promise<Ledger> {
  const { chain } = await readWallet(wallet);
  const ledger = new Ledger(content);
  applyAll(ledger, chain.slice(1));
  return ledger;
}

const balanceOf = (ledger: Ledger): { unlocked: number; locked: number } => {
  const { unlocked, locked } = ledger.balance(undefined, CHAIN_A_HEIGHT, RECORDED_AT);
  return { unlocked: Number(unlocked), locked: Number(locked) };
};

test.each([
  ['alice-fresh.green', 'alice'],
  ['alice-synced.green', 'alice'],
  ['alice-offline.green', 'alice'],
  ['carol-synced.green', 'carol'],
  ['several.green', 'alice'],
  ['killed.green', 'alice'],
  ['bob-incoming.green', 'bob'],
])('%s reads the chain and has the truth of it', async (name, wallet) => {
  const content = await contentOf(name);
  expect(isHistoryUnconfirmed(content)).toBe(content.progress.height > 0);
  const ledger = await scanned(content, wallet);
  expect(isHistoryUnconfirmed(ledger.content())).toBe(false);
  const afterSync = greenNamed(name).conversion?.afterSync;
  expect(balanceOf(ledger)).toEqual(afterSync?.balance);
  if (name !== 'bob-incoming.green')
    expect(ledger.content().transactions).toHaveLength(afterSync?.transactionCount ?? 0);
  expect(ledger.content()).toEqual((await scanned(withoutHistory(content), wallet)).content());
  expect(ledger.content().unconfirmed).toEqual([]);
});

test('a send that waits in the pool keeps its inputs through the scan, until no node knows it', async () => {
  const content = await contentOf('alice-pending.green');
  const [send] = content.unconfirmed;
  const takes = 787_700;
  expect(content.unconfirmed).toHaveLength(1);
  expect(content.subWallets.flatMap(({ locked }) => locked).map((output) => output.spendingTransactionHash)).toContain(
    send?.hash,
  );
  const ledger = await scanned(content, 'alice');
  const truth = balanceOf(await scanned(withoutHistory(content), 'alice'));
  const { unlocked, locked } = balanceOf(ledger);
  expect(unlocked + locked).toBe(truth.unlocked + truth.locked - takes);
  expect(ledger.unconfirmedHashes()).toEqual([send?.hash]);
  // 232 in blocks and nothing else: what was never sent, and what was cancelled, is nowhere.
  expect(ledger.content().transactions).toHaveLength(232);
  ledger.cancelSend(send?.hash ?? '');
  expect(balanceOf(ledger)).toEqual(truth);
});

test('a transaction that is in no block of the chain does not stay', async () => {
  const content = await contentOf('alice-synced.green');
  const [first] = content.transactions;
  const ghost = { ...first!, hash: 'ab'.repeat(32), blockHeight: 700 };
  const [subWallet] = content.subWallets;
  const output = {
    ...subWallet!.unspent[0]!,
    key: 'cd'.repeat(32),
    parentTransactionHash: ghost.hash,
    blockHeight: 700,
  };
  const haunted: WalletContent = {
    ...content,
    transactions: [...content.transactions, ghost],
    subWallets: [{ ...subWallet!, unspent: [...subWallet!.unspent, output] }],
  };
  expect((await scanned(haunted, 'alice')).content()).toEqual(
    (await scanned(withoutHistory(content), 'alice')).content(),
  );
});

test('a node that begins above the history leaves it as it is', async () => {
  const content = await contentOf('alice-synced.green');
  const ledger = new Ledger(content);
  const { chain } = await readWallet('alice');
  applyAll(ledger, chain.slice(716));
  expect(balanceOf(ledger)).toEqual({ unlocked: 229_032_501, locked: 4_253_510 });
});

test('the history of a converted wallet is unconfirmed until the first block is applied', async () => {
  const { chain } = await readWallet('alice');
  const ledger = new Ledger(await contentOf('alice-synced.green'));
  expect(isHistoryUnconfirmed(ledger.content())).toBe(true);
  applyAll(ledger, chain.slice(1, 2));
  expect(isHistoryUnconfirmed(ledger.content())).toBe(false);
});
