import { BelowFloor, rulesDigestAt } from '@wrkz/chain-db';
import { transactionPowDifficulty, TX_POW_ALGORITHM, walletTransactionSizeLimit } from '@wrkz/consensus';
import { describeAmount, fromHex, parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';
import { checkHash, powHashMany } from '@wrkz/crypto';
import { yieldToEventLoop } from '@wrkz/service-kit';
import type { PoolTransaction } from '../../mempool/pool-transaction';
import { type ConsoleCommand, type ConsoleContext, orBelowFloor } from '../command';
import { blockJson, transactionJson } from '../chain-json';
import { dateText, grid, sizeText, yesNo } from '../format';

/** A number of at most 32 bits is a height, counted from 1; anything else is a hash. */
export const printBlock: ConsoleCommand = {
  name: 'print_block',
  help: 'Print block, print_block <block_hash> | <block_height>',
  run: ({ rpc: { reader } }, [word]) => {
    if (word === undefined) return 'expected: print_block (<block_hash> | <block_height>)\n';
    return orBelowFloor(() =>
      reader.snapshot(() => {
        if (/^\d{1,10}$/.test(word) && Number(word) <= 0xffffffff) return byHeight(reader, Number(word));
        const hash = fromHex(word, 32);
        if (hash === undefined) return `invalid hash format: <${word}>\n`;
        const height = reader.heightOf(hash);
        const raw = height === undefined ? reader.alternative(hash)?.raw : reader.rawBlock(height);
        return raw === undefined ? `block wasn't found: ${word}\n` : blockText(raw);
      }),
    );
  },
};

type Reader = ConsoleContext['rpc']['reader'];

function byHeight(reader: Reader, count: number): string {
  const raw = count === 0 ? undefined : reader.rawBlock(count - 1);
  if (raw !== undefined) return blockText(raw);
  return `block wasn't found. Current block chain height: ${reader.height() + 1}, requested: ${count}\n`;
}

function blockText(raw: RawBlock): string {
  const parsed = parseBlock(raw.block);
  return `block_id: ${parsed.hash.toString('hex')}\n${blockJson(parsed.block)}\n`;
}

const RANGE_USAGE = 'expected: print_bc <begin_height> [end_height]\n';
const MAX_BLOCKS = 1000n;
const COLUMNS = ['Height', 'Hash', 'Time', 'Version', 'Difficulty', 'Size', 'Txs'] as const;

/** Heights are block indexes, from 0. */
export const printChain: ConsoleCommand = {
  name: 'print_bc',
  help: 'print_bc <begin> [end] - Print block headers over a height range (max 1000)',
  run: ({ rpc: { reader } }, [begin, end = begin, ...more]) => {
    if (begin === undefined || end === undefined || more.length > 0) return RANGE_USAGE;
    if (!/^\d{1,20}$/.test(begin) || !/^\d{1,20}$/.test(end)) return RANGE_USAGE;
    const [first, last] = [BigInt(begin), BigInt(end)];
    if (last < first) return `the range is inverted: ${first} is above ${last}. Use print_bc <begin> <end>.\n`;
    const count = last - first + 1n;
    if (count > MAX_BLOCKS) return `that range is ${count} blocks; print_bc prints at most ${MAX_BLOCKS} at a time.\n`;
    return reader.snapshot(() => {
      const height = reader.height();
      if (first > BigInt(height))
        return `block wasn't found. Current block chain height: ${height + 1}, requested: ${first}\n`;
      return range(reader, Number(first), Math.min(Number(last), height));
    });
  },
};

function range(reader: Reader, first: number, last: number): string {
  let before = first === 0 ? 0 : (reader.facts(first - 1)?.generatedTransactions ?? 0);
  const rows = reader.factsRange(first, last + 1).map((facts) => {
    const transactions = facts.generatedTransactions - before;
    before = facts.generatedTransactions;
    return [
      String(facts.height),
      facts.hash.toString('hex'),
      dateText(facts.timestamp),
      `v${facts.majorVersion}.${facts.minorVersion}`,
      String(facts.difficulty),
      String(facts.size),
      String(transactions),
    ];
  });
  return grid(COLUMNS, rows);
}

export const printDigest: ConsoleCommand = {
  name: 'print_digest',
  help: 'print_digest <height> - Print the rules digest at a block index, to compare the state of two nodes',
  run: ({ rpc: { reader } }, [word]) => {
    if (word === undefined || !/^\d{1,10}$/.test(word)) return 'expected: print_digest <height>\n';
    const height = Number(word);
    return reader.snapshot(() => {
      const facts = reader.facts(height);
      if (facts === undefined) {
        return `block wasn't found. Current block chain height: ${reader.height() + 1}, requested: ${height}\n`;
      }
      const found = rulesDigestAt(reader, height);
      if (found !== undefined)
        return `${found.digest.toString('hex')} height ${height}, block ${facts.hash.toString('hex')}\n`;
      const stored = reader.storedRulesDigest(height)?.height ?? 0;
      return `the digest of this height is not calculated yet: those up to height ${stored} are stored.\n`;
    });
  },
};

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
  const bytes = stored?.bytes ?? pool.get(hash)?.bytes;
  if (bytes === undefined) {
    const { lite } = reader.floors();
    if (lite !== undefined) throw new BelowFloor(0, lite, 'lite');
    return `transaction wasn't found: <${word}>\n`;
  }
  const place = stored === undefined ? 'in the pool' : `mined in block index ${stored.height}`;
  const json = transactionJson(parseTransaction(bytes).transaction);
  return `${json}\n${place}\nblob: ${bytes.toString('hex')}\n`;
}

/** Transactions between two yields to the event loop. */
const GROUP = 32;
/** Max characters of a list. */
const MAX_TEXT = 8 * 1024 * 1024;

export const printPool: ConsoleCommand = {
  name: 'print_pool',
  help: 'Print transaction pool (long format)',
  run: async ({ pool }) => {
    const entries = pool.list();
    const listed = await inGroups(entries, async (group) => group.map(longText));
    return `Pool state: \n${listed}\n`;
  },
};

function longText(entry: PoolTransaction): string {
  const { id, fee, size } = entry;
  const json = transactionJson(entry.parse().transaction);
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

/** For each transaction the required proof-of-work difficulty if its hash meets it, otherwise 0. */
async function metDifficulties({ network, rpc }: ConsoleContext, group: readonly PoolTransaction[]): Promise<bigint[]> {
  const height = rpc.reader.height();
  const all = group.map((entry) => entry.parse());
  const jobs = all.map(({ prefixBytes }) => ({ algorithm: TX_POW_ALGORITHM, data: prefixBytes }));
  const hashes = await powHashMany(jobs);
  return all.map(({ transaction, fee }, i) => {
    const difficulty = transactionPowDifficulty(transaction, network, height, fee === 0n);
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
    if (text.length > MAX_TEXT) return `${text}${all.length - start} more transactions are not shown.\n`;
    text += (await print(all.slice(start, start + GROUP))).join('');
    await yieldToEventLoop();
  }
  return text;
}
