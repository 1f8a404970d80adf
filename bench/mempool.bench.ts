/**
 * The pool and block templates under floods: `npm run bench -- mempool`. A simnet chain, one process, the chain engine idle.
 *
 * 1. 20,500 pooled transactions, 250 valid transactions per second: latency of a template.
 * 2. A full pool (64 MiB), 10,000 transactions with false signatures per second over RPC and 500 valid ones per second from
 *    peers: accepted transactions of peers, latency of a template, delay of the event loop.
 *
 * The pooled transactions of the start are not signed and are added without verification; the floods are verified.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openChainDb } from '@wrkz/chain-db';
import { Checkpoints, type RuleFailure } from '@wrkz/consensus';
import { encodeTransaction, networkOf, type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import { type TestWalletOutput, TestWallet } from '@wrkz/testing';
import { ChainEngine } from '../apps/daemon/src/chain/engine';
import { ChainValidator } from '../apps/daemon/src/mempool/chain-validator';
import { POOL_BYTES } from '../apps/daemon/src/mempool/limits';
import { TransactionPool } from '../apps/daemon/src/mempool/pool';
import { BlockGenerator } from '../apps/daemon/src/mining/generate';
import { Miner } from '../apps/daemon/src/mining/miner';
import { milliseconds, quantile, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const SECONDS = 8;
const BLOCKS = 1_400;
const NOW = 1_790_000_000;
const now = (): number => NOW;

/** Verifies like the node, unless the pool is being filled. */
class FillingValidator extends ChainValidator {
  isFilling = true;

  override async validate(parsed: ParsedTransaction): Promise<RuleFailure | undefined> {
    return this.isFilling ? undefined : super.validate(parsed);
  }
}

/** Transactions of `template` with other key images, unsigned. */
function* unsigned(template: Buffer, padding: number): Generator<Buffer> {
  const { transaction } = parseTransaction(template);
  for (let number = 1; ; number++) {
    const keyImage = Buffer.alloc(32, 9);
    keyImage.writeUInt32LE(number);
    const inputs = transaction.inputs.map((input) => (input.type === 'key' ? { ...input, keyImage } : input));
    const extra = Buffer.concat([transaction.extra, Buffer.alloc(padding)]);
    yield encodeTransaction({ ...transaction, inputs, extra });
  }
}

async function fill(pool: TransactionPool, from: Generator<Buffer>, isFull: () => boolean): Promise<void> {
  while (!isFull()) {
    const batch = Array.from({ length: 256 }, () => from.next().value as Buffer);
    await Promise.all(batch.map((bytes) => pool.add(bytes, 'reorganisation')));
  }
}

/** Sends this number per second, for SECONDS. @returns accepted, sent */
async function flood(perSecond: number, send: (index: number) => Promise<boolean>): Promise<[number, number]> {
  const start = performance.now();
  const pending: Promise<boolean>[] = [];
  while (since(start) < SECONDS * 1000) {
    const due = Math.floor((since(start) / 1000) * perSecond);
    while (pending.length < due) pending.push(send(pending.length));
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
  const results = await Promise.all(pending);
  return [results.filter(Boolean).length, results.length];
}

/** Requests a template every 20 ms until `over` resolves. @returns milliseconds of each */
async function templates(miner: Miner, receiver: TestWallet, over: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  void over.then(() => (isOver = true));
  while (!isOver) {
    const start = performance.now();
    await miner.template(receiver, Buffer.alloc(8));
    times.push(since(start));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
}

runBench(async () => {
  console.log(machine());
  const directory = mkdtempSync(join(tmpdir(), 'wrkz-bench-'));
  const network = networkOf('simnet');
  const db = openChainDb({ directory, network: 'simnet' });
  const chain = new ChainEngine({ db, network, checkpoints: Checkpoints.none, now });
  try {
    const { reader } = db;
    const wallet = new TestWallet('mempool bench');
    const validator = new FillingValidator(network, reader, now);
    const makePool = (): { pool: TransactionPool; miner: Miner } => {
      const pool = new TransactionPool(validator);
      return { pool, miner: new Miner({ network, reader, chain, pool, now }) };
    };
    const generator = new BlockGenerator(network, makePool().miner, now, new AbortController().signal);
    for (let mined = 0; mined < BLOCKS; mined += 200)
      await generator.generate({ address: wallet, count: 200, timestamp: NOW - 200_000, spacing: 60 });
    const outputs: TestWalletOutput[] = [];
    for (let height = 1; height < BLOCKS - 60; height++) {
      const [indexes] = reader.globalIndexes(height);
      const raw = reader.rawBlock(height);
      if (raw !== undefined)
        outputs.push(...wallet.find({ ...raw, transactions: [] }, height, [indexes?.indexes ?? []]));
    }
    const spendable = outputs.filter(({ amount }) => amount > 10_000n);
    const valid = spendable.map((output) => wallet.spend(output, { fee: 9_000n }));
    const [model] = valid;
    if (model === undefined) throw new Error('the wallet has no outputs');
    console.log(row('valid transactions', [valid.length]));

    const report = async (
      name: string,
      padding: number,
      isFull: (pool: TransactionPool) => boolean,
      falsePerSecond: number,
      validPerSecond: number,
    ) => {
      const { pool, miner } = makePool();
      validator.isFilling = true;
      await fill(pool, unsigned(wallet.spend(spendable[0]!, { fee: 1_000n }), padding), () => isFull(pool));
      validator.isFilling = false;
      console.log(`\n${name}`);
      console.log(row('pooled, MiB', [pool.size, (pool.bytes / 2 ** 20).toFixed(1)]));
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      let next = 0;
      const honest = flood(validPerSecond, async () => {
        const bytes = valid[next++];
        return bytes !== undefined && (await pool.add(bytes, 'p2p')).accepted;
      });
      const hostile =
        falsePerSecond === 0
          ? Promise.resolve<[number, number]>([0, 0])
          : flood(falsePerSecond, async (index) => {
              const bytes = Buffer.from(model);
              bytes.writeUInt32LE(index, bytes.length - 8);
              return (await pool.add(bytes, 'rpc')).accepted;
            });
      const times = await templates(miner, wallet, Promise.all([honest, hostile]));
      delay.disable();
      const [[accepted, sent], [, falseOnes]] = await Promise.all([honest, hostile]);
      console.log(row('valid: sent, accepted', [Math.min(sent, valid.length), accepted]));
      console.log(row('false signatures: sent', [falseOnes]));
      console.log(
        row(
          'template: median, p99, max',
          [0.5, 0.99, 1].map((share) => milliseconds(quantile(times, share))),
        ),
      );
      console.log(
        row(
          'event loop delay: p99, max',
          [delay.percentile(99), delay.max].map((ns) => milliseconds(ns / 1e6)),
        ),
      );
    };
    await report('20,500 pooled, 250 valid per second', 0, (pool) => pool.size >= 20_500, 0, 250);
    await report(
      'full pool, 10,000 false and 500 valid per second',
      600,
      (pool) => pool.bytes > POOL_BYTES - 1024,
      10_000,
      500,
    );
  } finally {
    await chain.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
