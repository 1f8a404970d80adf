/**
 * The chain database alone: blocks and transactions appended per second, rows looked up per second, bytes per block.
 * The blocks are verified before the clock starts.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile, openChainDb, verifyChain, type ChainDb } from '../packages/chain-db/src';
import { chainA } from '../packages/chain-db/test/support/chain-a';
import { makeCoinbaseChain } from '../packages/chain-db/test/support/coinbase-chain';
import type { VerifiedBlock } from '../packages/consensus/src';

const ROUNDS = 5;

function timed<T>(work: () => T): { result: T; seconds: number } {
  const start = performance.now();
  const result = work();
  return { result, seconds: (performance.now() - start) / 1000 };
}

const best = (values: readonly number[]): number => Math.max(...values);
const shown = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Appends the blocks to a fresh database, `batch` per commit. */
function fill(blocks: readonly VerifiedBlock[], batch: number): { db: ChainDb; seconds: number; slowest: number } {
  const db = openChainDb({ directory: mkdtempSync(join(tmpdir(), 'bench-chain-db-')), network: 'devnet' });
  const commits: number[] = [];
  for (let i = 0; i < blocks.length; i += batch) {
    commits.push(timed(() => db.writer?.append(blocks.slice(i, i + batch))).seconds);
  }
  return { db, seconds: commits.reduce((sum, one) => sum + one, 0), slowest: Math.max(...commits) };
}

function discard(db: ChainDb): void {
  db.close();
  rmSync(db.directory, { recursive: true, force: true });
}

function appendRate(name: string, blocks: readonly VerifiedBlock[], batch: number): void {
  const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
  const seconds: number[] = [];
  let slowest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const filled = fill(blocks, batch);
    seconds.push(filled.seconds);
    slowest = Math.max(slowest, filled.slowest);
    discard(filled.db);
  }
  const rate = best(seconds.map((one) => 1 / one));
  const others = transactions > 0 ? `, ${shown(transactions * rate)} transactions/s` : '';
  console.log(
    `append ${name}, ${batch} a commit: ${shown(blocks.length * rate)} blocks/s${others}; slowest commit ${Math.round(slowest * 1000)} ms`,
  );
}

function lookUps(db: ChainDb): void {
  const blocks = chainA();
  const parsed = blocks.flatMap((block) => block.transactions);
  const images = parsed.flatMap(({ transaction }) =>
    transaction.inputs.flatMap((input) => (input.type === 'key' ? [input] : [])),
  );
  const rate = (name: string, count: number, work: () => void): void => {
    const rates = Array.from({ length: ROUNDS }, () => count / timed(() => db.reader.snapshot(work)).seconds);
    console.log(`${name}: ${shown(best(rates))}/s`);
  };
  rate('facts of a block', blocks.length, () => blocks.forEach(({ facts }) => db.reader.facts(facts.height)));
  rate('height of a block id', blocks.length, () => blocks.forEach(({ facts }) => db.reader.heightOf(facts.hash)));
  rate('raw blocks with transactions', blocks.length, () => db.reader.rawBlocks(0, Infinity));
  rate('blocks scanned without bodies', blocks.length, () => {
    for (let start = 0; start < blocks.length; start += 100) db.reader.scanBlocks(start, start + 100);
  });
  rate('transactions by hash, with bytes', parsed.length, () =>
    parsed.forEach(({ hash }) => db.reader.transaction(hash)),
  );
  rate('key images', images.length, () => images.forEach(({ keyImage }) => db.reader.keyImageHeight(keyImage)));
  const members = images.flatMap(({ amount, keyOffsets }) => {
    let index = 0;
    return keyOffsets.map((offset) => [amount, (index += offset)] as const);
  });
  rate('ring members', members.length, () => members.forEach(([amount, index]) => db.reader.output(amount, index)));
}

function sizes(db: ChainDb, blocks: readonly VerifiedBlock[]): void {
  for (const { name, rows, bytes } of db.reader.space()) {
    if (rows > 50) console.log(`  ${name}: ${shown(bytes)} bytes, ${(bytes / rows).toFixed(1)} a row`);
  }
  db.close();
  const bytes = statSync(databaseFile(db.directory)).size;
  const raw = blocks.reduce(
    (sum, { block, transactions }) => transactions.reduce((all, { size }) => all + size, sum + block.bytes.length),
    0,
  );
  console.log(
    `on disk: ${shown(bytes / blocks.length)} bytes a block, ${(bytes / raw).toFixed(2)} times the serialized blocks (${shown(raw)} bytes)`,
  );
}

async function main(): Promise<void> {
  const coinbases = makeCoinbaseChain(20_000);
  appendRate('blocks with a coinbase each', coinbases, 1000);
  appendRate('chain A', chainA(), 100);
  appendRate('chain A', chainA(), 1);
  const { db } = fill(chainA(), 100);
  lookUps(db);
  const verified: number[] = [];
  for (let round = 0; round < ROUNDS; round++) verified.push(await timedAsync(() => verifyChain(db)));
  console.log(`verify: ${shown(chainA().length / Math.min(...verified))} blocks/s`);
  sizes(db, chainA());
  discard(db);
  const long = fill(coinbases, 1000).db;
  sizes(long, coinbases);
  discard(long);
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

void main();
