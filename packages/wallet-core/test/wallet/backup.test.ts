import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Wallet } from '../../src';
import { restoreBackup } from '../../src/wallet/backup';
import { fresh, removeFolders } from '../support/folder';
import { served } from '../support/served';

const PORT_OF_NO_NODE = 1;

afterEach(removeFolders);

const open = (file: string, password = 'pw'): Promise<Wallet> =>
  served(Wallet.open, { file, password, port: PORT_OF_NO_NODE });

async function created(): Promise<{ wallet: Wallet; folder: (name: string) => string }> {
  const first = fresh('a.wallet');
  const wallet = await served(Wallet.create, { file: first, password: 'pw', port: PORT_OF_NO_NODE });
  return { wallet, folder: (name) => first.replace(/a\.wallet$/, name) };
}

test('a restored backup has the keys and the database as of the backup', async () => {
  const { wallet, folder } = await created();
  const { address } = await wallet.createSubWallet();
  wallet.db.labels.put('one', { subject: 'one', text: 'before' });
  await wallet.backup(folder('backup'));
  // Only the owner may read it.
  for (const name of ['backup', 'backup.db']) expect(statSync(folder(name)).mode & 0o777).toBe(0o600);
  wallet.db.labels.put('one', { subject: 'one', text: 'after' });
  await wallet.close();
  await restoreBackup(folder('backup'), folder('restored'));
  for (const name of ['restored', 'restored.db']) expect(statSync(folder(name)).mode & 0o777).toBe(0o600);
  const restored = await open(folder('restored'));
  expect(restored.snapshot.addresses).toContain(address);
  expect(restored.db.labels.get('one')?.text).toBe('before');
  // A client may repeat a payment that was made after the backup.
  expect(restored.pause.current).toMatchObject({ source: 'database' });
  // The next address may have been created after the backup, and given to a customer.
  await expect(restored.createSubWallet()).rejects.toMatchObject({ code: 1011 });
  await restored.resumeSends();
  expect(restored.pause.current).toBeUndefined();
  await restored.createSubWallet();
  expect(restored.containerChange).toBeUndefined();
  await restored.close();
  const again = await open(folder('restored'));
  expect(again.pause.current).toBeUndefined();
  await again.close();
});

test('a backup blocks other operations only until the container is copied', async () => {
  const { wallet, folder } = await created();
  const ended: string[] = [];
  const backup = wallet.backup(folder('backup')).then(() => ended.push('backup'));
  // Each of them waits for the mutex of the wallet.
  await wallet.giveUp('00', 'a test');
  ended.push('operation');
  await backup;
  expect(ended).toEqual(['operation', 'backup']);
  await wallet.close();
});

test('of two backups to one path the first is complete and the second is refused', async () => {
  const { wallet, folder } = await created();
  const [first, second] = await Promise.allSettled([wallet.backup(folder('backup')), wallet.backup(folder('backup'))]);
  expect([first.status, second]).toMatchObject(['fulfilled', { reason: { code: 8 } }]);
  await wallet.close();
  await restoreBackup(folder('backup'), folder('restored'));
  await (await open(folder('restored'))).close();
});

test('neither a backup nor a restore overwrites a file', async () => {
  const { wallet, folder } = await created();
  await wallet.backup(folder('backup'));
  const exists = expect.objectContaining({ code: 8 });
  await expect(wallet.backup(folder('backup'))).rejects.toEqual(exists);
  writeFileSync(folder('other.db'), 'something');
  await expect(wallet.backup(folder('other'))).rejects.toEqual(exists);
  await expect(restoreBackup(folder('backup'), folder('other'))).rejects.toEqual(exists);
  await expect(restoreBackup(folder('backup'), folder('a.wallet'))).rejects.toEqual(exists);
  writeFileSync(folder('third.db-wal'), 'a log');
  await expect(restoreBackup(folder('backup'), folder('third'))).rejects.toEqual(exists);
  expect(readFileSync(folder('other.db'), 'utf8')).toBe('something');
  expect(existsSync(folder('other'))).toBe(false);
  await wallet.close();
});

test('neither a wallet nor a backup can use a name that another wallet uses for its own files', async () => {
  const { wallet, folder } = await created();
  const refused = expect.objectContaining({ code: 2, message: expect.stringContaining('cannot end in') });
  for (const ending of ['restored', 'previous', 'tmp', 'lock', 'db', 'db-wal', 'previous.tmp']) {
    const file = folder(`b.wallet.${ending}`);
    await expect(wallet.backup(file)).rejects.toEqual(refused);
    await expect(served(Wallet.create, { file, password: 'pw', port: PORT_OF_NO_NODE })).rejects.toEqual(refused);
    expect(existsSync(file)).toBe(false);
  }
  await wallet.close();
});

test('a wallet whose name equals a restore marker is neither deleted nor overwritten', async () => {
  const { wallet, folder } = await created();
  await wallet.backup(folder('backup'));
  await wallet.close();
  const other = readFileSync(folder('backup'));
  writeFileSync(folder('a.wallet.restored'), other);
  const again = await open(folder('a.wallet'));
  expect(again.pause.current).toBeUndefined();
  await again.close();
  expect(readFileSync(folder('a.wallet.restored'))).toEqual(other);
  writeFileSync(folder('b.wallet.restored'), other);
  await expect(restoreBackup(folder('backup'), folder('b.wallet'))).rejects.toMatchObject({ code: 8 });
  expect(readFileSync(folder('b.wallet.restored'))).toEqual(other);
});

test('a backup that cannot be verified leaves no files', async () => {
  const { wallet, folder } = await created();
  wallet.db.labels.put('one', { subject: 'one', text: 'text' });
  // A row that another key sealed.
  const labels = wallet.db.labels as unknown as { dependencies: { connection: { exec: (sql: string) => void } } };
  labels.dependencies.connection.exec("UPDATE labels SET sealed = x'00'");
  await expect(wallet.backup(folder('backup'))).rejects.toEqual(
    expect.objectContaining({ code: 2, message: expect.stringContaining('labels') }),
  );
  for (const name of ['backup', 'backup.db']) expect(existsSync(folder(name))).toBe(false);
  await wallet.close();
});

test('restore refuses a backup without its database, and a file that is not a container', async () => {
  const { wallet, folder } = await created();
  await wallet.backup(folder('backup'));
  await wallet.close();
  writeFileSync(folder('half'), readFileSync(folder('backup')));
  await expect(restoreBackup(folder('half'), folder('x'))).rejects.toEqual(expect.objectContaining({ code: 1 }));
  await expect(restoreBackup(folder('backup.db'), folder('x'))).rejects.toEqual(expect.objectContaining({ code: 3 }));
  expect(existsSync(folder('x'))).toBe(false);
});

test('a backup opens with the password at the time of the backup', async () => {
  const { wallet, folder } = await created();
  await wallet.changePassword('new');
  await wallet.backup(folder('backup'));
  await wallet.close();
  const restored = await open(folder('backup'), 'new');
  await restored.close();
});
