import { join } from 'node:path';
import { type ChainReader, openChainDb } from '@wrkz/chain-db';
import { baseReward, medianSize } from '@wrkz/consensus';
import { networkOf, parseBlock, parseTransaction, rawBlockBytes } from '@wrkz/core-types';
import type { ChainAHeader } from '@wrkz/testing';

const WINDOW = 100;

/** Every header of the devnet data directory of a stopped node, with the fields that the reference reports. */
export function storedHeaders(dataDir: string): ChainAHeader[] {
  const db = openChainDb({ directory: join(dataDir, 'devnet'), network: 'devnet', readonly: true });
  try {
    return Array.from({ length: db.reader.height() + 1 }, (_, height) => storedHeader(db.reader, height));
  } finally {
    db.close();
  }
}

/** The report of the reference for a block, built from its stored row. */
export function storedHeader(reader: ChainReader, height: number): ChainAHeader {
  const facts = reader.facts(height);
  const raw = reader.rawBlock(height);
  if (facts === undefined || raw === undefined) throw new RangeError(`no block ${String(height)}`);
  const { block, coinbase } = parseBlock(raw.block);
  const transactions = raw.transactions.map((bytes) => parseTransaction(bytes));
  const before = reader.factsRange(Math.max(0, height - WINDOW), height);
  return {
    height: facts.height,
    hash: facts.hash.toString('hex'),
    prev_hash: block.previousHash.toString('hex'),
    major_version: facts.majorVersion,
    minor_version: facts.minorVersion,
    timestamp: facts.timestamp,
    nonce: block.nonce,
    difficulty: Number(facts.difficulty),
    reward: Number(block.coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n)),
    num_txes: reader.transactionHashes(height).length,
    block_size: rawBlockBytes(raw),
    transactionsCumulativeSize: facts.size,
    alreadyGeneratedCoins: String(facts.generatedCoins),
    alreadyGeneratedTransactions: facts.generatedTransactions,
    sizeMedian: before.length === 0 ? 0 : medianSize(before),
    baseReward: Number(baseReward(networkOf('devnet').rulesAt(height), before.at(-1)?.generatedCoins ?? 0n)),
    totalFeeAmount: Number(transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n)),
    coinbase_tx_hash: coinbase.hash.toString('hex'),
    tx_hashes: transactions.map(({ hash }) => hash.toString('hex')),
  };
}
