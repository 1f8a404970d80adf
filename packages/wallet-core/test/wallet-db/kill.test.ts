import { endPrograms, runProgram } from '../support/child';
import { fresh, removeFolders } from '../support/folder';
import { openDb, signedSend } from './support/filled';

/* Kills a program that writes transactions. Every transaction that it has reported must be in the database. */

const KILLS = Number(process.env['KILLS'] ?? 4);

afterEach(async () => {
  await endPrograms();
  removeFolders();
});

/** @returns the number of the last transaction that was reported as written */
async function writeUntilKilled(walletFile: string, lines: number): Promise<number> {
  const program = runProgram('wallet-db.ts', [walletFile]);
  let last = 0;
  expect(await program.line()).toBe('open');
  for (let i = 0; i < lines; i++) last = Number(await program.line());
  program.kill();
  expect(await program.ended).toBe('SIGKILL');
  return last;
}

test('after a kill each transaction is complete or absent, and the position has increased', async () => {
  const walletFile = fresh('a.wallet');
  let position = 0;
  for (let i = 0; i < KILLS; i++) {
    const reported = await writeUntilKilled(walletFile, 1 + 13 * i);
    const db = openDb(walletFile);
    const count = db.events.last;
    expect(count).toBeGreaterThanOrEqual(reported);
    // Each transaction has three changes of money: a send, a linked request and a ledger change.
    expect(db.mark.position).toBe(3 * count);
    expect(db.mark.position).toBeGreaterThan(position);
    ({ position } = db.mark);
    const numbers = Array.from({ length: count }, (_, n) => n + 1);
    expect([...db.log.after(0)].map(({ change }) => change)).toEqual(numbers);
    const hashes = numbers.map((number) => String(number).padStart(64, '0'));
    expect(db.sends.all().map(({ signed }) => signed)).toEqual(hashes.map(signedSend));
    expect(db.events.after(0, Infinity).map(({ transaction }) => transaction)).toEqual(hashes);
    for (const hash of hashes) {
      expect(db.requests.begin({ owner: '', key: hash }, hash, 0)).toEqual({ kind: 'incomplete', sends: [hash] });
    }
    db.close();
  }
});
