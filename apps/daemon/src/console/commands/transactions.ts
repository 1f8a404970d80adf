import { fromHex, parseTransaction } from '@wrkz/core-types';
import { BelowFloor } from '@wrkz/chain-db';
import { orBelowFloor } from '../below-floor';
import type { ConsoleCommand, ConsoleContext } from '../command';
import { transactionJson } from '../text/chain-json';

export const printTransaction: ConsoleCommand = {
  name: 'print_tx',
  help: 'Print transaction, print_tx <transaction_hash>',
  run: ({ rpc: { reader }, pool }, [word]) => {
    if (word === undefined) return 'expected: print_tx <transaction hash>\n';
    const hash = fromHex(word, 32);
    if (hash === undefined) return `invalid hash format: <${word}>\n`;
    return orBelowFloor(() => transactionText(reader, pool, hash, word));
  },
};

function transactionText(
  reader: ConsoleContext['rpc']['reader'],
  pool: ConsoleContext['pool'],
  hash: Buffer,
  word: string,
): string {
  const stored = reader.transaction(hash);
  const bytes = stored?.bytes ?? pool.get(hash)?.parsed.bytes;
  if (bytes === undefined) {
    const { lite } = reader.floors();
    if (lite !== undefined) throw new BelowFloor(0, lite, 'lite');
    return `transaction wasn't found: <${word}>\n`;
  }
  const place = stored === undefined ? 'in the pool' : `mined in block index ${stored.height}`;
  const json = transactionJson(parseTransaction(bytes).transaction);
  return `${json}\n${place}\nblob: ${bytes.toString('hex')}\n`;
}
