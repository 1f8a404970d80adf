import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import { Ledger } from '../../../src/ledger/ledger';
import type { WalletContent } from '../../../src/ledger/model';
import { walletBalance } from '../../../src/ledger/queries';
import { isUnconfirmedHistory } from '../../../src/sync/status';
import { applyAll, readWallet, RECORDED_AT } from '../../ledger/support/chain-a-wallets';
import { greenNamed } from './support/recorded-green';
import { readGreen } from './support/read-green';

/* After a scan, a converted wallet equals a wallet that was only scanned. */

async function contentOf(name: string): Promise<WalletContent> {
  const { path, password } = greenNamed(name);
  const read = await readGreen(path, password);
  if (read === undefined) throw new Error(`${name} is not a container`);
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

/** The ledger after a scan of the blocks after genesis. */
async function scanned(content: WalletContent, wallet: string): Promise<Ledger> {
  const { chain } = await readWallet(wallet);
  const ledger = new Ledger(content);
  applyAll(ledger, chain.slice(1));
  return ledger;
}

const balanceOf = (ledger: Ledger): { unlocked: number; locked: number } => {
  const { unlocked, locked } = walletBalance(ledger.content(), { height: CHAIN_A_HEIGHT, timestamp: RECORDED_AT });
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
])('%s equals a wallet without converted history after the scan', async (name, wallet) => {
  const content = await contentOf(name);
  expect(isUnconfirmedHistory(new Ledger(content).position())).toBe(content.progress.height > 0);
  const ledger = await scanned(content, wallet);
  expect(isUnconfirmedHistory(ledger.position())).toBe(false);
  const afterSync = greenNamed(name).conversion?.afterSync;
  expect(balanceOf(ledger)).toEqual(afterSync?.balance);
  if (name !== 'bob-incoming.green')
    expect(ledger.content().transactions).toHaveLength(afterSync?.transactionCount ?? 0);
  expect(ledger.content()).toEqual((await scanned(withoutHistory(content), wallet)).content());
  expect(ledger.content().unconfirmed).toEqual([]);
});

test('the inputs of a pending send stay locked during the scan until the send is cancelled', async () => {
  const content = await contentOf('alice-pending.green');
  const [send] = content.unconfirmed;
  const takes = 787_700;
  expect(content.unconfirmed).toHaveLength(1);
  expect(content.subWallets.flatMap(({ locked }) => locked).map((output) => output.spendingTransactionHash)).toContain(
    send?.hash,
  );
  const ledger = await scanned(content, 'alice');
  const expected = balanceOf(await scanned(withoutHistory(content), 'alice'));
  const { unlocked, locked } = balanceOf(ledger);
  expect(unlocked + locked).toBe(expected.unlocked + expected.locked - takes);
  expect(ledger.unconfirmedHashes()).toEqual([send?.hash]);
  // 232 mined transactions; unsent and cancelled ones are not converted.
  expect(ledger.content().transactions).toHaveLength(232);
  ledger.cancelSend(send?.hash ?? '');
  expect(balanceOf(ledger)).toEqual(expected);
});

test('a transaction that is not in the chain is removed', async () => {
  const content = await contentOf('alice-synced.green');
  const [first] = content.transactions;
  const unknown = { ...first!, hash: 'ab'.repeat(32), blockHeight: 700 };
  const [subWallet] = content.subWallets;
  const output = {
    ...subWallet!.unspent[0]!,
    key: 'cd'.repeat(32),
    parentTransactionHash: unknown.hash,
    blockHeight: 700,
  };
  const changed: WalletContent = {
    ...content,
    transactions: [...content.transactions, unknown],
    subWallets: [{ ...subWallet!, unspent: [...subWallet!.unspent, output] }],
  };
  expect((await scanned(changed, 'alice')).content()).toEqual(
    (await scanned(withoutHistory(content), 'alice')).content(),
  );
});

test('a scan that begins above the history does not change it', async () => {
  const content = await contentOf('alice-synced.green');
  const ledger = new Ledger(content);
  const { chain } = await readWallet('alice');
  applyAll(ledger, chain.slice(716));
  expect(balanceOf(ledger)).toEqual({ unlocked: 229_032_501, locked: 4_253_510 });
});

test('the history of a converted wallet is unconfirmed until the first block is applied', async () => {
  const { chain } = await readWallet('alice');
  const ledger = new Ledger(await contentOf('alice-synced.green'));
  expect(isUnconfirmedHistory(ledger.position())).toBe(true);
  applyAll(ledger, chain.slice(1, 2));
  expect(isUnconfirmedHistory(ledger.position())).toBe(false);
});
