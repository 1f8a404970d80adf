import { RuleFailure } from '@wrkz/consensus';
import { encodeTransaction, parseTransaction, type Transaction } from '@wrkz/core-types';
import fc from 'fast-check';
import type { ChainCommit } from '../src/chain/service';
import type { Fitting, PoolJudge } from '../src/mempool/judge';
import { FEELESS_TRANSACTIONS, LIFETIME, POOL_BYTES, POOL_BYTES_AFTER_EVICTION } from '../src/mempool/limits';
import { TransactionPool } from '../src/mempool/pool';
import { poolTransaction } from '../src/mempool/pool-transaction';
import { comparePriority } from '../src/mempool/priority';

let images = 0;

interface Shape {
  readonly fee?: bigint;
  readonly amount?: bigint;
  readonly inputs?: number;
  readonly outputs?: number;
  readonly padding?: number;
  readonly image?: Buffer;
}

function image(number = ++images): Buffer {
  const bytes = Buffer.alloc(32, 1);
  bytes.writeUInt32LE(number, 0);
  return bytes;
}

/** A transaction that parses and means nothing. */
function made({ fee = 10n, amount = 1000n, inputs = 1, outputs = 1, padding = 0, image: first }: Shape = {}): Buffer {
  const each = (amount + fee) / BigInt(inputs);
  const transaction: Transaction = {
    version: 1,
    unlockTime: 0n,
    inputs: Array.from({ length: inputs }, (_, i) => ({
      type: 'key' as const,
      amount: i === 0 ? amount + fee - each * BigInt(inputs - 1) : each,
      keyOffsets: [1],
      keyImage: i === 0 ? (first ?? image()) : image(),
    })),
    outputs: Array.from({ length: outputs }, (_, i) => ({
      amount: i === 0 ? amount - BigInt(outputs - 1) : 1n,
      key: Buffer.alloc(32, 2),
    })),
    extra: Buffer.alloc(padding),
    signatures: Array.from({ length: inputs }, () => Buffer.alloc(64)),
  };
  return encodeTransaction(transaction);
}

const hashOf = (bytes: Buffer): Buffer => parseTransaction(bytes).hash;

class FakeJudge implements PoolJudge {
  refusals = new Map<string, RuleFailure>();
  spent = new Map<string, 'in block' | RuleFailure>();
  misfits = new Map<string, RuleFailure>();
  looks = 0;
  judged = 0;
  limit = Infinity;
  gate: Promise<void> = Promise.resolve();

  async judge(parsed: { hash: Buffer }): Promise<RuleFailure | undefined> {
    this.judged += 1;
    await this.gate;
    return this.refusals.get(parsed.hash.toString('hex'));
  }

  sizeLimit(): number {
    return this.limit;
  }

  settled(parsed: { hash: Buffer }): 'in block' | RuleFailure | undefined {
    return this.spent.get(parsed.hash.toString('hex'));
  }

  fitting(): Fitting {
    return {
      measure: String(this.misfits.size),
      refuses: (parsed) => {
        this.looks += 1;
        return this.misfits.get(parsed.hash.toString('hex'));
      },
    };
  }
}

function bench(): { pool: TransactionPool; judge: FakeJudge; clock: { now: number }; gone: string[] } {
  const judge = new FakeJudge();
  const clock = { now: 1_000_000 };
  const pool = new TransactionPool(judge, () => clock.now);
  const gone: string[] = [];
  pool.on('removed', ({ hashes, reason }) => gone.push(...hashes.map((hash) => `${reason} ${hash.toString('hex')}`)));
  return { pool, judge, clock, gone };
}

function commit(part: Partial<ChainCommit>): ChainCommit {
  const tip = {} as ChainCommit['tip'];
  return { kind: 'append', source: 'sync', forkHeight: 0, added: [], removed: [], tip, ...part };
}

const block = (part: { transactionHashes?: Buffer[]; keyImages?: Buffer[] }): ChainCommit['added'][number] => ({
  height: 1,
  hash: Buffer.alloc(32),
  timestamp: 0,
  transactionHashes: [],
  keyImages: [],
  ...part,
});

describe('admission', () => {
  it('keeps what every rule allows, and tells', async () => {
    const { pool } = bench();
    const added: string[] = [];
    pool.on('added', ({ hash, source }) => added.push(`${source} ${hash.toString('hex')}`));
    const bytes = made();
    const hash = hashOf(bytes);
    expect(await pool.add(bytes, 'rpc')).toEqual({ accepted: true, hash });
    expect(added).toEqual([`rpc ${hash.toString('hex')}`]);
    expect(pool.has(hash)).toBe(true);
    expect(pool.get(hash)?.parsed.bytes).toEqual(bytes);
    expect(pool.hashes()).toEqual([hash]);
    expect(pool.bytes).toBe(bytes.length);
  });

  it.each([
    Buffer.alloc(0),
    Buffer.from('00', 'hex'),
    made().subarray(0, -1),
    Buffer.concat([made(), Buffer.from([0])]),
  ])('cannot read %p', async (bytes) => {
    const answer = { accepted: false, message: 'Could not deserialize transaction' };
    expect(await bench().pool.add(bytes, 'p2p')).toEqual(answer);
  });

  it('tells the reason of the rule', async () => {
    const { pool, judge } = bench();
    const bytes = made();
    judge.refusals.set(hashOf(bytes).toString('hex'), new RuleFailure('T29'));
    expect(await pool.add(bytes, 'rpc')).toMatchObject({
      accepted: false,
      code: 'T29',
      message: 'Transaction fee is below minimum fee and is not a fusion transaction',
    });
    expect(pool.size).toBe(0);
  });

  it('takes the same one once, however it comes', async () => {
    const { pool, judge } = bench();
    const bytes = made();
    let open = (): void => undefined;
    judge.gate = new Promise((resolve) => (open = resolve));
    const both = [pool.add(bytes, 'rpc'), pool.add(bytes, 'p2p')];
    open();
    const [first, second] = await Promise.all(both);
    expect([first?.accepted, second?.accepted]).toEqual([true, false]);
    expect(second?.message).toBe('Transaction already exists in pool');
    expect(await pool.add(bytes, 'p2p')).toMatchObject({ message: 'Transaction already exists in pool' });
    expect(judge.judged).toBe(1);
  });

  it('two in flight with one refusal get the same refusal', async () => {
    const { pool, judge } = bench();
    const bytes = made();
    judge.refusals.set(hashOf(bytes).toString('hex'), new RuleFailure('T10'));
    const answers = await Promise.all([pool.add(bytes, 'rpc'), pool.add(bytes, 'p2p')]);
    expect(answers.map(({ code }) => code)).toEqual(['T10', 'T10']);
  });

  it('refuses a second spend of an image, after everything else passed', async () => {
    const { pool, judge } = bench();
    const spent = image();
    await pool.add(made({ image: spent }), 'rpc');
    const second = made({ image: spent, fee: 50n });
    expect(await pool.add(second, 'rpc')).toMatchObject({ message: 'Transaction already exists in pool' });
    judge.refusals.set(hashOf(second).toString('hex'), new RuleFailure('T10'));
    expect(await pool.add(second, 'rpc')).toMatchObject({ code: 'T10' });
  });

  it('of two spends in flight at once keeps one', async () => {
    const { pool } = bench();
    const spent = image();
    const answers = await Promise.all([11n, 12n].map((fee) => pool.add(made({ image: spent, fee }), 'p2p')));
    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
    expect(pool.size).toBe(1);
  });

  it('holds 60 that pay nothing, and looks at that before the rules', async () => {
    const { pool, judge } = bench();
    for (let i = 0; i < FEELESS_TRANSACTIONS; i++)
      expect((await pool.add(made({ fee: 0n }), 'p2p')).accepted).toBe(true);
    const judged = judge.judged;
    expect(await pool.add(made({ fee: 0n }), 'p2p')).toMatchObject({
      message: 'Pool already contains the maximum amount of fusion transactions',
    });
    expect(judge.judged).toBe(judged);
    expect((await pool.add(made(), 'p2p')).accepted).toBe(true);
    const flood = await Promise.all(Array.from({ length: 5 }, () => pool.add(made({ fee: 0n }), 'p2p')));
    expect(flood.some(({ accepted }) => accepted)).toBe(false);
  });

  it('does not pass 60 when many come at once', async () => {
    const { pool } = bench();
    await Promise.all(Array.from({ length: 100 }, () => pool.add(made({ fee: 0n }), 'p2p')));
    expect(pool.size).toBe(60);
  });

  it('turns a flood away instead of keeping it waiting', async () => {
    const { pool, judge } = bench();
    let open = (): void => undefined;
    judge.gate = new Promise((resolve) => (open = resolve));
    const all = Array.from({ length: 4200 }, () => pool.add(made(), 'p2p'));
    open();
    const answers = await Promise.all(all);
    const full = answers.filter(({ message }) => message === 'Transaction pool is full');
    expect(full).toHaveLength(4200 - 4096 - 16);
  });

  it('keeps no more than 32 MiB waiting', async () => {
    const { pool, judge } = bench();
    let open = (): void => undefined;
    judge.gate = new Promise((resolve) => (open = resolve));
    const all = Array.from({ length: 40 }, () => pool.add(made({ padding: 1024 * 1024 }), 'p2p'));
    open();
    const answers = await Promise.all(all);
    expect(answers.filter(({ message }) => message === 'Transaction pool is full')).toHaveLength(40 - 31);
    expect((await pool.add(made({ padding: 1024 * 1024 }), 'p2p')).accepted).toBe(true);
  });

  it('refuses what is too large before it reads it', async () => {
    const { pool, judge } = bench();
    judge.limit = 500;
    const answer = { accepted: false, code: 'T30', message: 'Transaction is too large (in bytes)' };
    expect(await pool.add(Buffer.alloc(501), 'p2p')).toMatchObject(answer);
    expect(await pool.add(Buffer.alloc(500), 'p2p')).toMatchObject({ message: 'Could not deserialize transaction' });
    expect(judge.judged).toBe(0);
  });

  it('refuses an input that spends nothing without keeping it waiting', async () => {
    const { pool, judge } = bench();
    judge.gate = new Promise(() => undefined);
    const inputs = Array.from({ length: 3 }, () => ({ type: 'base' as const, height: 1 }));
    const signatures = inputs.map(() => Buffer.alloc(0));
    const bytes = encodeTransaction({
      version: 1,
      unlockTime: 0n,
      inputs,
      outputs: [],
      extra: Buffer.alloc(0),
      signatures,
    });
    expect(await pool.add(bytes, 'p2p')).toMatchObject({
      code: 'T2',
      message: 'Transaction has input with unknown type',
    });
  });

  it('forgets a verdict that was reached before a reorganisation', async () => {
    const { pool, judge } = bench();
    let open = (): void => undefined;
    judge.gate = new Promise((resolve) => (open = resolve));
    const bytes = made();
    const adding = pool.add(bytes, 'p2p');
    await pool.onCommit(commit({ kind: 'switch' }));
    judge.refusals.set(hashOf(bytes).toString('hex'), new RuleFailure('T10'));
    open();
    expect(await adding).toMatchObject({ code: 'T10' });
    expect(judge.judged).toBe(2);
  });

  it('refuses what a block spent while the proofs ran', async () => {
    const { pool, judge } = bench();
    const bytes = made();
    judge.spent.set(hashOf(bytes).toString('hex'), new RuleFailure('T7'));
    expect(await pool.add(bytes, 'p2p')).toMatchObject({ code: 'T7' });
  });
});

describe('order', () => {
  const entry = (shape: Shape, receivedAt = 0, sequence = 0): ReturnType<typeof poolTransaction> =>
    poolTransaction(parseTransaction(made(shape)), receivedAt, sequence);

  it.each<[string, Shape, Shape]>([
    ['more fee per byte', { fee: 100n }, { fee: 10n }],
    ['more fee per byte, though less fee', { fee: 100n }, { fee: 110n, padding: 200 }],
    ['the larger output total', { amount: 5000n }, { amount: 4000n }],
  ])('%s goes first', (_, better, worse) => {
    expect(comparePriority(entry(better), entry(worse))).toBeLessThan(0);
    expect(comparePriority(entry(worse), entry(better))).toBeGreaterThan(0);
  });

  it('then more inputs for each output, less size, the older', () => {
    const merge = entry({ fee: 0n, inputs: 4, outputs: 1 });
    const split = entry({ fee: 0n, inputs: 2, outputs: 2 });
    expect(comparePriority(merge, split)).toBeLessThan(0);
    expect(comparePriority(entry({ fee: 0n }), entry({ fee: 0n, padding: 9 }))).toBeLessThan(0);
    expect(comparePriority(entry({}, 5), entry({}, 6))).toBeLessThan(0);
    expect(comparePriority(entry({}, 5, 1), entry({}, 5, 2))).toBeLessThan(0);
  });

  it('is kept while transactions come and go', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ fee: fc.bigInt(1n, 50n), padding: fc.nat(40), drop: fc.boolean() }), { maxLength: 40 }),
        async (steps) => {
          const { pool } = bench();
          for (const { fee, padding, drop } of steps) {
            await pool.add(made({ fee, padding }), 'p2p');
            if (drop) pool.remove(pool.hashes()[pool.size >> 1]!, 'NotActual');
          }
          const list = pool.list();
          expect([...list].sort(comparePriority)).toEqual(list);
          expect(pool.bytes).toBe(list.reduce((sum, { size }) => sum + size, 0));
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a pool over its budget', () => {
  it('throws out the least profitable down to 90 %, and refuses what would be the least', async () => {
    const { pool, gone } = bench();
    const padding = 1_000_000;
    const count = Math.floor(POOL_BYTES / (padding + 200));
    for (let i = 0; i < count; i++) await pool.add(made({ fee: BigInt(1000 + i), padding }), 'p2p');
    expect(await pool.add(made({ fee: 1n, padding }), 'p2p')).toMatchObject({ message: 'Transaction pool is full' });
    expect(gone).toEqual([]);
    const best = made({ fee: 9000n, padding });
    expect(await pool.add(best, 'p2p')).toMatchObject({ accepted: true });
    expect(pool.bytes).toBeLessThanOrEqual(POOL_BYTES_AFTER_EVICTION);
    expect(pool.bytes).toBeGreaterThan(POOL_BYTES_AFTER_EVICTION - 2 * padding);
    expect(gone.every((line) => line.startsWith('NotActual'))).toBe(true);
    expect(pool.list()[0]?.parsed.bytes.equals(best)).toBe(true);
  });
});

describe('the pool follows the chain', () => {
  it('gives up what is mined, spent by others, outdated or no longer fits, each with its reason', async () => {
    const { pool, judge, clock, gone } = bench();
    const spent = image();
    const [mined, doubled, old, shrunk, kept] = [made(), made({ image: spent }), made(), made(), made()];
    await pool.add(old, 'p2p');
    clock.now += LIFETIME;
    for (const bytes of [mined, doubled, shrunk, kept]) await pool.add(bytes, 'p2p');
    judge.misfits.set(hashOf(shrunk).toString('hex'), new RuleFailure('T23'));
    await pool.onCommit(commit({ added: [block({ transactionHashes: [hashOf(mined)], keyImages: [spent] })] }));
    clock.now += 1;
    pool.sweep();
    const line = (reason: string, bytes: Buffer): string => `${reason} ${hashOf(bytes).toString('hex')}`;
    expect(gone).toEqual([
      line('InBlock', mined),
      line('NotActual', doubled),
      line('NotActual', shrunk),
      line('Outdated', old),
    ]);
    expect(pool.hashes()).toEqual([hashOf(kept)]);
  });

  it('judges everything anew after a reorganisation and takes back what the lost blocks held', async () => {
    const { pool, judge, gone } = bench();
    const [stays, fails, returns, mined] = [made(), made(), made(), made()];
    await pool.add(stays, 'p2p');
    await pool.add(fails, 'p2p');
    judge.refusals.set(hashOf(fails).toString('hex'), new RuleFailure('T10'));
    judge.spent.set(hashOf(mined).toString('hex'), 'in block');
    const removed = [{ height: 5, hash: Buffer.alloc(32), transactions: [returns, mined] }];
    await pool.onCommit(commit({ kind: 'switch', removed }));
    expect(gone).toEqual([`NotActual ${hashOf(fails).toString('hex')}`]);
    expect(new Set(pool.hashes().map(String))).toEqual(new Set([stays, returns].map((bytes) => String(hashOf(bytes)))));
  });

  it('takes back more than may wait at its door', async () => {
    const { pool } = bench();
    const transactions = Array.from({ length: 4300 }, () => made());
    await pool.onCommit(commit({ kind: 'switch', removed: [{ height: 5, hash: Buffer.alloc(32), transactions }] }));
    expect(pool.size).toBe(4300);
  });

  it('still takes new ones while a large pool is judged anew', async () => {
    const { pool, judge } = bench();
    for (let i = 0; i < 4200; i++) await pool.add(made(), 'p2p');
    let open = (): void => undefined;
    judge.gate = new Promise((resolve) => (open = resolve));
    const judging = pool.onCommit(commit({ kind: 'switch' }));
    await new Promise(setImmediate);
    const adding = pool.add(made(), 'p2p');
    open();
    expect(await adding).toMatchObject({ accepted: true });
    await judging;
    expect(pool.size).toBe(4201);
  });

  it('lets a transaction wait a day and no second more', async () => {
    const { pool, clock, gone } = bench();
    await pool.add(made(), 'p2p');
    clock.now += LIFETIME - 1;
    pool.sweep();
    expect(gone).toEqual([]);
    clock.now += 1;
    pool.sweep();
    expect(gone).toHaveLength(1);
  });

  it('looks through everything only when a rule that it looks for has changed', async () => {
    const { pool, judge } = bench();
    await pool.onCommit(commit({}));
    for (let i = 0; i < 10; i++) await pool.add(made(), 'p2p');
    const looks = judge.looks;
    for (let i = 0; i < 5; i++) await pool.onCommit(commit({ added: [block({})] }));
    expect(judge.looks).toBe(looks);
  });

  it('does nothing for a side block', async () => {
    const { pool, judge } = bench();
    await pool.add(made(), 'p2p');
    const before = judge.judged;
    await pool.onCommit({ kind: 'alternative', height: 1, hash: Buffer.alloc(32), tip: {} as ChainCommit['tip'] });
    expect(judge.judged).toBe(before);
    expect(pool.size).toBe(1);
  });
});
