import { writeFileSync } from 'node:fs';
import { SqliteConnection } from '@wrkz/sqlite';
import { StandInNode } from '@wrkz/testing';
import { Wallet } from '../../src';
import { walletDbName } from '../../src/wallet-db/wallet-db';
import { removeFolders } from '../support/folder';
import { scriptedChain, serveChain, KEYS } from '../sync/support/scripted-chain';
import { signedSend } from '../wallet-db/support/filled';
import { WholeWallet } from './support/whole-wallet';
import { importKeys } from '../support/imports';

/* A whole wallet with a damaged row in its database. */

const blocks = scriptedChain(30);
let node: StandInNode;
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
  removeFolders();
});

async function begin(): Promise<WholeWallet> {
  node = serveChain(await StandInNode.start(), { blocks });
  open.push(node);
  const privateSpendKey = KEYS.spendKeys[0]?.privateSpendKey ?? '';
  const keys = { privateViewKey: KEYS.privateViewKey, privateSpendKey, scanHeight: 0 };
  const whole = await WholeWallet.begin((parts, options) => importKeys(parts, options, keys), {
    ports: [node.port],
  });
  open.push(whole);
  return whole;
}

async function reopened({ file }: WholeWallet): Promise<WholeWallet> {
  const whole = await WholeWallet.begin((parts, options) => Wallet.open(parts, options), { ports: [node.port], file });
  open.push(whole);
  return whole;
}

function damage(file: string, table: string): void {
  const raw = new SqliteConnection(walletDbName(file));
  raw.exec(`UPDATE ${table} SET sealed = zeroblob(length(sealed))`);
  raw.close();
}

test.each(['sends', 'settings'])(
  'a damaged row of %s pauses sends at the next open, and the operator resumes',
  async (table) => {
    const whole = await begin();
    whole.wallet.pause.set('operator', 'a test');
    whole.wallet.db.sends.put({ hash: '01', state: 'pending', created: 2, signed: signedSend('01') });
    await whole.wallet.close();
    damage(whole.file, table);
    const { wallet } = await reopened(whole);
    expect(wallet.pause.current).toMatchObject({ source: 'database' });
    await wallet.resumeSends();
    expect(wallet.pause.current).toBeUndefined();
  },
);

test('a damaged row that is read while the wallet is open pauses sends', async () => {
  const whole = await begin();
  const { wallet } = whole;
  const key = { owner: '', key: 'a' };
  wallet.db.requests.begin(key, 'body', 1);
  damage(whole.file, 'requests');
  expect(() => wallet.db.requests.begin(key, 'body', 1)).toThrow('damaged');
  await expect(wallet.send({ destinations: [] })).rejects.toMatchObject({ code: 1008 });
});

test('a pause for a database that cannot be opened is recorded in the new database', async () => {
  const whole = await begin();
  await whole.wallet.close();
  writeFileSync(walletDbName(whole.file), 'no database');
  const { wallet } = await reopened(whole);
  expect(wallet.pause.current).toMatchObject({ source: 'database' });
  await wallet.resumeSends();
  const events = wallet.db.events.after(0, 100).filter(({ kind }) => kind.startsWith('sends-'));
  expect(events).toMatchObject([{ kind: 'sends-paused', payload: { source: 'database' } }, { kind: 'sends-resumed' }]);
});
