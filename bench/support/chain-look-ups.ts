import { randomInt } from 'node:crypto';
import type { ChainReader } from '../../packages/chain-db/src';
import { median, row, since } from './figures';

/** Lookups of each kind per round. */
const EACH = 500;
const ROUNDS = 7;

/** Prints the median microseconds of lookups at random places of the chain. */
export function printLookUps(reader: ChainReader): void {
  const tip = reader.height();
  const heights = Array.from({ length: EACH }, () => randomInt(tip + 1));
  const ids = heights.map((height) => reader.hashAt(height) as Buffer);
  const hashes = heights.flatMap((height) => reader.transactionHashes(height)).slice(0, EACH);
  const images = heights.flatMap((height) => reader.keyImagesBetween(height, height + 1)).slice(0, EACH);
  const unknown = heights.map((_, i) => Buffer.alloc(32, i + 1));
  const amounts = [1n, 10n, 100n, 1_000n, 10_000n].map((amount) => ({ amount, count: reader.outputCount(amount) }));
  const kinds: [string, number, () => void][] = [
    ['facts of a block', EACH, () => heights.forEach((height) => reader.facts(height))],
    ['height of a block id', EACH, () => ids.forEach((hash) => reader.heightOf(hash))],
    ['place of a transaction hash', hashes.length, () => hashes.forEach((hash) => reader.transactionHeight(hash))],
    ['a spent key image', images.length, () => images.forEach(({ image }) => reader.keyImageHeight(image))],
    ['an unknown key image', EACH, () => unknown.forEach((image) => reader.keyImageHeight(image))],
    [
      'an output by amount and index',
      EACH,
      () => heights.forEach((_, i) => pick(reader, amounts[i % amounts.length] as (typeof amounts)[number])),
    ],
    ['a whole block', EACH, () => heights.forEach((height) => reader.rawBlock(height))],
    ['a block of 100 scanned in a row', EACH, () => scans(reader, heights)],
  ];
  const figures = kinds.map(([name, count, work]) => {
    const times = Array.from({ length: ROUNDS }, () => {
      const start = performance.now();
      work();
      return (since(start) * 1000) / Math.max(1, count);
    });
    return `${name} ${median(times).toFixed(1)}`;
  });
  console.log(row('  microseconds each:', []) + figures.join(', '));
}

function pick(reader: ChainReader, { amount, count }: { readonly amount: bigint; readonly count: number }): void {
  if (count > 0) reader.output(amount, randomInt(count));
}

function scans(reader: ChainReader, heights: readonly number[]): void {
  for (const height of heights.slice(0, EACH / 100)) reader.scanBlocks(height, height + 100);
}
