/**
 * `wallet-db.ts <container>`: commits transactions over several tables to the wallet database until it is killed, and prints the
 * number of each after its commit.
 */
import { openDb, signedSend, VIEW_KEY } from '../wallet-db/support/filled';

function writeForEver(walletFile: string): never {
  const db = openDb(walletFile, { privateViewKey: VIEW_KEY });
  process.stdout.write('open\n');
  for (let number = db.events.last + 1; ; number++) {
    const hash = String(number).padStart(64, '0');
    db.transaction(() => {
      db.requests.begin({ owner: '', key: hash }, hash, number);
      db.sends.put({ hash, state: 'pending', created: number, signed: signedSend(hash) });
      db.requests.link({ owner: '', key: hash }, hash);
      db.log.append(number as never);
      db.events.append({ kind: 'sent', transaction: hash, time: number });
    });
    process.stdout.write(`${number}\n`);
  }
}

const [walletFile = ''] = process.argv.slice(2);
writeForEver(walletFile);
