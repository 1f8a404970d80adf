import { fromHex, parseTransaction } from '@wrkz/core-types';
import type { ConsoleCommand } from '../command';
import { transactionJson } from '../text/chain-json';

export const printTransaction: ConsoleCommand = {
  name: 'print_tx',
  help: 'Print transaction, print_tx <transaction_hash>',
  run: ({ rpc: { reader }, pool }, [word]) => {
    if (word === undefined) return 'expected: print_tx <transaction hash>\n';
    const hash = fromHex(word, 32);
    if (hash === undefined) return `invalid hash format: <${word}>\n`;
    const stored = reader.transaction(hash);
    const bytes = stored?.bytes ?? pool.get(hash)?.parsed.bytes;
    if (bytes === undefined) return `transaction wasn't found: <${word}>\n`;
    const place = stored === undefined ? 'in the pool' : `mined in block index ${stored.height}`;
    const json = transactionJson(parseTransaction(bytes).transaction);
    return `${json}\n${place}\nblob: ${bytes.toString('hex')}\n`;
  },
};
