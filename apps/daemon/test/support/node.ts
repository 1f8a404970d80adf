import { Checkpoints } from '@wrkz/consensus';
import { type NetworkName, networkOf } from '@wrkz/core-types';
import { type TestWalletOutput, TestWallet } from '@wrkz/testing';
import { ChainValidator } from '../../src/mempool/chain-validator';
import { TransactionPool } from '../../src/mempool/pool';
import { BlockGenerator } from '../../src/mining/generate';
import { Miner } from '../../src/mining/miner';
import { type EngineBench, engineBench, NOW } from './engine';

export interface NodeBench extends EngineBench {
  readonly pool: TransactionPool;
  readonly miner: Miner;
  readonly generator: BlockGenerator;
  readonly testWallet: TestWallet;
  readonly clock: { now: number };
  /** Mines this many blocks for the wallet. */
  mine(count: number, timestamp?: number): Promise<Buffer[]>;
  /** The largest output of the wallet in a block's coinbase. */
  coinbaseOutput(height: number): TestWalletOutput;
}

/** Engine, pool and miner on this thread. */
export function nodeBench(network: NetworkName): NodeBench {
  const clock = { now: NOW };
  const now = (): number => clock.now;
  const bench = engineBench(network, { checkpoints: Checkpoints.none, now });
  const profile = networkOf(network);
  const { engine: chain, reader } = bench;
  const pool = new TransactionPool(new ChainValidator(profile, reader, now), now);
  chain.on('commit', (event) => void pool.onCommit(event));
  const miner = new Miner({ network: profile, reader, chain, pool, now });
  const generator = new BlockGenerator(profile, miner, now, new AbortController().signal);
  const testWallet = new TestWallet('node bench');
  return {
    ...bench,
    pool,
    miner,
    generator,
    testWallet,
    clock,
    mine: async (count, timestamp = NOW - 1_000_000) =>
      (await generator.generate({ address: testWallet, count, timestamp, spacing: 60 })).hashes,
    coinbaseOutput: (height) => {
      const [indexes] = reader.globalIndexes(height);
      const owned = testWallet.find({ ...reader.rawBlock(height)!, transactions: [] }, height, [
        indexes?.indexes ?? [],
      ]);
      return owned.reduce((best, output) => (output.amount > best.amount ? output : best));
    },
  };
}
