import { genesisBlock, type VerifiedBlock } from '@wrkz/consensus';
import fc from 'fast-check';
import { devnet } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { plainPaymentId, verifyChain, type ChainDb } from '../src';
import { inventedId } from './support/maker';
import { SMALL_RUNS } from './support/small-runs';
import { apply, step } from './support/steps';
import { contents } from './support/tables';

afterEach(cleanUp);

/** Compares the results of the reader with values computed from the blocks alone. */
function expectAnswers({ reader }: ChainDb, chain: readonly VerifiedBlock[]): void {
  const counts = new Map<bigint, number>();
  const carriers = new Map<string, Buffer[]>([0, 1, 2].map((number) => [inventedId(number).toString('hex'), []]));
  let transactions = 0;
  for (const { block, transactions: others, facts } of chain) {
    const { height } = facts;
    expect(reader.facts(height)).toEqual(facts);
    expect(reader.heightOf(facts.hash)).toBe(height);
    expect(reader.rawBlock(height)).toEqual({ block: block.bytes, transactions: others.map(({ bytes }) => bytes) });
    const all = [block.coinbase, ...others];
    expect(reader.transactionHashes(height)).toEqual(all.map(({ hash }) => hash));
    for (const { transaction, hash } of all) {
      const id = plainPaymentId(transaction.extra)?.toString('hex');
      if (id !== undefined) carriers.set(id, [...(carriers.get(id) ?? []), hash]);
    }
    const indexes = all.map((parsed, position) => {
      expect(reader.transaction(parsed.hash)).toEqual({ height, position, bytes: parsed.bytes });
      for (const input of parsed.transaction.inputs) {
        if (input.type === 'key') expect(reader.keyImageHeight(input.keyImage)).toBe(height);
      }
      return {
        hash: parsed.hash,
        indexes: parsed.transaction.outputs.map(({ amount, key }, i) => {
          const index = counts.get(amount) ?? 0;
          counts.set(amount, index + 1);
          const { unlockTime } = parsed.transaction;
          const stored = { key, unlockTime, height, position: i };
          expect(reader.output(amount, index)).toEqual(stored);
          return index;
        }),
      };
    });
    expect(reader.globalIndexes(height)).toEqual(indexes);
    for (const [amount, count] of counts) expect(reader.outputCount(amount, height)).toBe(count);
    transactions += all.length;
  }
  for (const [amount, count] of counts) {
    expect(reader.outputCount(amount)).toBe(count);
    expect(reader.output(amount, count)).toBeUndefined();
  }
  for (const [id, hashes] of carriers) {
    const paymentId = Buffer.from(id, 'hex');
    expect(reader.paymentIdUses(paymentId)).toBe(hashes.length);
    expect(reader.transactionsByPaymentId(paymentId, 0, hashes.length)).toEqual(hashes);
  }
  expect(reader.transactionCount()).toBe(transactions);
  expect(reader.height()).toBe(chain.length - 1);
  for (const { facts } of chain) {
    const first = chain.findIndex((one) => one.facts.timestamp >= facts.timestamp);
    expect(reader.firstHeightFrom(facts.timestamp)).toBe(first);
  }
}

test.each([
  ['as a program keeps them', {}],
  ['in small runs that are merged all the time', { hashIndex: SMALL_RUNS }],
])(
  'any appends, rewinds and switches lead to the same database as the final chain alone; lookups %s',
  async (_, options) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        let db = openHere(options);
        let chain = [genesisBlock(devnet)];
        writerOf(db).append(chain);
        for (const next of steps) {
          chain = apply(db, chain, next);
          if (next.kind !== 'rewind') continue;
          const { directory } = db;
          db.close();
          db = openHere({ ...options, directory });
        }
        expectAnswers(db, chain);

        const twin = openHere();
        writerOf(twin).append(chain);
        expect(contents(db)).toEqual(contents(twin));
        const found = await verifyChain(db);
        expect(found.problems).toEqual([]);
        expect(found.digest).toBe((await verifyChain(twin)).digest);
        cleanUp();
      }),
      { numRuns: 15 },
    );
  },
);
