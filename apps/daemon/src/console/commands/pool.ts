import { transactionPowDifficulty, TX_POW_ALGORITHM, walletTransactionSizeLimit } from '@wrkz/consensus';
import { describeAmount } from '@wrkz/core-types';
import { checkHash, powHashMany } from '@wrkz/crypto';
import { yieldToEventLoop } from '@wrkz/service-kit';
import type { PoolTransaction } from '../../mempool/pool-transaction';
import type { ConsoleCommand, ConsoleContext } from '../command';
import { transactionJson } from '../text/chain-json';
import { sizeText, yesNo } from '../text/format';

/** Transactions that are looked at before anything else has its turn. */
const GROUP = 32;
/** No more than so many characters are printed of a long list. */
const MOST_TEXT = 8 * 1024 * 1024;

export const printPool: ConsoleCommand = {
  name: 'print_pool',
  help: 'Print transaction pool (long format)',
  run: async ({ pool }) => {
    const entries = pool.list();
    const listed = await inGroups(entries, async (group) => group.map(longText));
    return `Pool state: \n${listed}\n`;
  },
};

function longText({ id, fee, size, parsed }: PoolTransaction): string {
  const json = transactionJson(parsed.transaction);
  return `id: ${id}\nfee: ${fee}\nblobSize: ${size}\nfusion: ${yesNo(fee === 0n)}\nJSON: \n${json}\n\n`;
}

export const printPoolShort: ConsoleCommand = {
  name: 'print_pool_sh',
  help: 'Print transaction pool (short format)',
  run: async (context) => {
    const entries = [...context.pool.list()];
    if (entries.length === 0) return 'Pool state: Empty.\n';
    const bytes = entries.reduce((sum, { size }) => sum + size, 0);
    const blocks = Math.ceil(bytes / walletTransactionSizeLimit(context.rpc.reader.height()));
    const listed = await inGroups(entries, async (group) => {
      const difficulties = await metDifficulties(context, group);
      return group.map((entry, i) => shortLine(entry, difficulties[i] ?? 0n));
    });
    return (
      `Pool state:\n${listed}\nTotal transactions: ${entries.length}\n` +
      `Total size of transactions: ${sizeText(bytes)}\nEstimated full blocks to clear: ${blocks}\n`
    );
  },
};

function shortLine({ id, size, fee }: PoolTransaction, difficulty: bigint): string {
  const amounts = `Fee: ${describeAmount(fee)}, Tx Diff: ${difficulty}, Fusion: ${yesNo(fee === 0n)}`;
  return `Hash: ${id}, Size: ${sizeText(size)}, ${amounts}\n`;
}

/** Of each transaction the difficulty that the rule asks for where its hash meets it, else 0. */
async function metDifficulties({ network, rpc }: ConsoleContext, group: readonly PoolTransaction[]): Promise<bigint[]> {
  const height = rpc.reader.height();
  const jobs = group.map(({ parsed }) => ({ algorithm: TX_POW_ALGORITHM, data: parsed.prefixBytes }));
  const hashes = await powHashMany(jobs);
  return group.map(({ parsed, fee }, i) => {
    const difficulty = transactionPowDifficulty(parsed.transaction, network, height, fee === 0n);
    return checkHash(hashes[i] as Buffer, difficulty) ? difficulty : 0n;
  });
}

async function inGroups(
  entries: readonly PoolTransaction[],
  print: (group: readonly PoolTransaction[]) => Promise<string[]>,
): Promise<string> {
  const all = [...entries];
  let text = '';
  for (let start = 0; start < all.length; start += GROUP) {
    if (text.length > MOST_TEXT) return `${text}${all.length - start} more transactions are not shown.\n`;
    text += (await print(all.slice(start, start + GROUP))).join('');
    await yieldToEventLoop();
  }
  return text;
}
