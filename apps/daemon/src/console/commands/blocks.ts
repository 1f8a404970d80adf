import { fromHex, parseBlock, type RawBlock } from '@wrkz/core-types';
import type { ConsoleCommand, ConsoleContext } from '../command';
import { blockJson } from '../text/chain-json';
import { orBelowFloor } from '../below-floor';
import { dateText } from '../text/format';
import { grid } from '../text/tables';

/** A bare number that fits 32 bits is a height, which counts from 1; anything else is a hash. */
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
const MOST_BLOCKS = 1000n;
const COLUMNS = ['Height', 'Hash', 'Time', 'Version', 'Difficulty', 'Size', 'Txs'] as const;

/** Heights are indexes here. */
export const printChain: ConsoleCommand = {
  name: 'print_bc',
  help: 'print_bc <begin> [end] - Print block headers over a height range (max 1000)',
  run: ({ rpc: { reader } }, [begin, end = begin, ...more]) => {
    if (begin === undefined || end === undefined || more.length > 0) return RANGE_USAGE;
    if (!/^\d{1,20}$/.test(begin) || !/^\d{1,20}$/.test(end)) return RANGE_USAGE;
    const [first, last] = [BigInt(begin), BigInt(end)];
    if (last < first) return `the range is inverted: ${first} is above ${last}. Use print_bc <begin> <end>.\n`;
    const count = last - first + 1n;
    if (count > MOST_BLOCKS)
      return `that range is ${count} blocks; print_bc prints at most ${MOST_BLOCKS} at a time.\n`;
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
