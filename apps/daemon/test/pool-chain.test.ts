import { RuleFailure } from '@wrkz/consensus';
import type { ChainCommit } from '../src/chain/service';
import { LIFETIME } from '../src/mempool/limits';
import { TransactionPool } from '../src/mempool/pool';
import { bench, block, commit, FakeValidator, freshKeyImage, hashOf, made } from './support/pool';

describe('the pool follows the chain', () => {
  it('removes mined, double-spent, expired and no longer valid transactions, each with its reason', async () => {
    const { pool, validator, clock, gone } = bench();
    const spent = freshKeyImage();
    const [mined, doubled, old, shrunk, kept] = [made(), made({ keyImage: spent }), made(), made(), made()];
    await pool.add(old, 'p2p');
    clock.now += LIFETIME;
    for (const bytes of [mined, doubled, shrunk, kept]) await pool.add(bytes, 'p2p');
    validator.limitFailures.set(hashOf(shrunk).toString('hex'), new RuleFailure('INVALID_MIXIN'));
    await pool.onCommit(commit({ added: [block({ transactionHashes: [hashOf(mined)], keyImages: [spent] })] }));
    clock.now += 1;
    await pool.sweep();
    const line = (reason: string, bytes: Buffer): string => `${reason} ${hashOf(bytes).toString('hex')}`;
    expect(gone).toEqual([
      line('InBlock', mined),
      line('NotActual', doubled),
      line('NotActual', shrunk),
      line('Outdated', old),
    ]);
    expect(pool.hashes()).toEqual([hashOf(kept)]);
  });

  it('retains its transactions when the system clock is set forward by a day', async () => {
    const pool = new TransactionPool(new FakeValidator());
    await pool.add(made(), 'p2p');
    const wall = Date.now();
    const set = jest.spyOn(Date, 'now').mockReturnValue(wall + 2 * LIFETIME * 1000);
    try {
      await pool.sweep();
    } finally {
      set.mockRestore();
    }
    expect(pool.size).toBe(1);
  });

  it('checks every transaction again after a reorganisation and restores those of the detached blocks', async () => {
    const { pool, validator, gone } = bench();
    const [stays, fails, returns, mined] = [made(), made(), made(), made()];
    await pool.add(stays, 'p2p');
    await pool.add(fails, 'p2p');
    validator.refusals.set(hashOf(fails).toString('hex'), new RuleFailure('INPUT_INVALID_SIGNATURES'));
    validator.spent.set(hashOf(mined).toString('hex'), 'in block');
    const removed = [{ height: 5, hash: Buffer.alloc(32), transactions: [returns, mined] }];
    await pool.onCommit(commit({ kind: 'switch', removed }));
    expect(gone).toEqual([`NotActual ${hashOf(fails).toString('hex')}`]);
    expect(new Set(pool.hashes().map(String))).toEqual(new Set([stays, returns].map((bytes) => String(hashOf(bytes)))));
  });

  it('restores more transactions than the limit of its queue', async () => {
    const { pool } = bench();
    const transactions = Array.from({ length: 4300 }, () => made());
    await pool.onCommit(commit({ kind: 'switch', removed: [{ height: 5, hash: Buffer.alloc(32), transactions }] }));
    expect(pool.size).toBe(4300);
  });

  it('restores transactions before it checks a large pool again: a double spend must not be faster', async () => {
    const { pool, validator } = bench();
    for (let i = 0; i < 100; i++) await pool.add(made(), 'p2p');
    const keyImage = freshKeyImage();
    const [returning, doubled] = [made({ keyImage }), made({ keyImage, fee: 1000n })];
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    // An earlier check is not complete yet, either.
    const validating = [
      pool.onCommit(commit({ kind: 'switch' })),
      pool.onCommit(
        commit({ kind: 'switch', removed: [{ height: 5, hash: Buffer.alloc(32), transactions: [returning] }] }),
      ),
    ];
    await new Promise(setImmediate);
    const adding = pool.add(doubled, 'p2p');
    open();
    expect(await adding).toMatchObject({ accepted: false });
    expect(pool.has(hashOf(returning))).toBe(true);
    await Promise.all(validating);
    expect(pool.size).toBe(101);
  });

  it('checks every transaction once after several reorganisations in a row', async () => {
    const { pool, validator } = bench();
    for (let i = 0; i < 100; i++) await pool.add(made(), 'p2p');
    validator.validated = 0;
    await Promise.all(Array.from({ length: 5 }, () => pool.onCommit(commit({ kind: 'switch' }))));
    expect(validator.validated).toBe(100);
    // The next one arrives when a part of the pool is checked.
    let reorganised: Promise<void> | undefined;
    validator.validated = 0;
    const checked = pool.onCommit(commit({ kind: 'switch' }));
    const { validate } = validator;
    jest.spyOn(validator, 'validate').mockImplementation((parsed) => {
      if (validator.validated === 50) reorganised ??= pool.onCommit(commit({ kind: 'switch' }));
      return validate.call(validator, parsed);
    });
    await checked;
    await reorganised;
    expect(validator.validated).toBeLessThan(100 + 50 + 17);
  });

  it('accepts new transactions while a large pool is being checked again', async () => {
    const { pool, validator } = bench();
    for (let i = 0; i < 4200; i++) await pool.add(made(), 'p2p');
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const validating = pool.onCommit(commit({ kind: 'switch' }));
    await new Promise(setImmediate);
    const adding = pool.add(made(), 'p2p');
    open();
    expect(await adding).toMatchObject({ accepted: true });
    await validating;
    expect(pool.size).toBe(4201);
  });

  it('removes a transaction whose unlock time has become too near, with the block that makes it so', async () => {
    const { pool, validator, gone } = bench();
    const [lapses, together, stays] = [made({ unlockTime: 20n }), made({ unlockTime: 20n }), made({ unlockTime: 21n })];
    for (const bytes of [lapses, together, stays]) await pool.add(bytes, 'p2p');
    const looks = validator.looks;
    await pool.onCommit(commit({ added: [block({})] }));
    expect(gone).toEqual([]);
    validator.lapsed.add(20n);
    await pool.onCommit(commit({ added: [block({})] }));
    expect(gone).toEqual([lapses, together].map((bytes) => `NotActual ${hashOf(bytes).toString('hex')}`));
    expect(pool.hashes()).toEqual([hashOf(stays)]);
    expect(validator.looks - looks).toBeLessThanOrEqual(3);
    // The removed transaction leaves no trace: it is refused again, others are accepted.
    expect(await pool.add(lapses, 'p2p')).toMatchObject({ accepted: false, code: 'UNLOCK_TIME_TOO_SMALL' });
    validator.lapsed.clear();
    expect(await pool.add(lapses, 'p2p')).toMatchObject({ accepted: true });
    validator.lapsed.add(20n).add(21n);
    await pool.sweep();
    expect(pool.size).toBe(0);
  });

  it('retains a transaction for exactly one day', async () => {
    const { pool, clock, gone } = bench();
    await pool.add(made(), 'p2p');
    clock.now += LIFETIME - 1;
    await pool.sweep();
    expect(gone).toEqual([]);
    clock.now += 1;
    await pool.sweep();
    expect(gone).toHaveLength(1);
  });

  it('checks the whole pool only when a rule that applies to it has changed', async () => {
    const { pool, validator } = bench();
    await pool.onCommit(commit({}));
    for (let i = 0; i < 10; i++) await pool.add(made(), 'p2p');
    const looks = validator.looks;
    for (let i = 0; i < 5; i++) await pool.onCommit(commit({ added: [block({})] }));
    expect(validator.looks).toBe(looks);
  });

  it('checks the limits again after a reorganisation that had other limits for a while', async () => {
    const { pool, validator } = bench();
    validator.key = 'first';
    await pool.onCommit(commit({}));
    validator.key = 'second';
    await pool.onCommit(commit({ kind: 'switch' }));
    const large = made();
    await pool.add(large, 'p2p');
    validator.key = 'first';
    validator.limitFailures.set(hashOf(large).toString('hex'), new RuleFailure('SIZE_TOO_LARGE'));
    await pool.onCommit(commit({ added: [block({})] }));
    expect(pool.size).toBe(0);
  });

  it('is checked in slices of 5 ms after a block, and other tasks run in between', async () => {
    const { pool, validator } = bench();
    for (let i = 0; i < 100; i++) await pool.add(made({ unlockTime: BigInt(i) }), 'p2p');
    validator.limitFailures.set(hashOf(made()).toString('hex'), new RuleFailure('INVALID_MIXIN'));
    const checks = (): number => validator.looks + validator.lapseChecks;
    const first = checks();
    // Each check of a transaction takes a millisecond.
    const clock = jest.spyOn(performance, 'now').mockImplementation(checks);
    const perTurn: number[] = [];
    let isDone = false;
    const countTurns = (before: number): void => {
      perTurn.push(checks() - before);
      if (!isDone) setImmediate(countTurns, checks());
    };
    setImmediate(countTurns, first);
    try {
      await pool.onCommit(commit({ added: [block({})] }));
    } finally {
      isDone = true;
      clock.mockRestore();
    }
    expect(checks() - first).toBeGreaterThanOrEqual(200);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(5);
  });

  it('shares one check between blocks that arrive during another check', async () => {
    const { pool, validator } = bench();
    for (let i = 0; i < 10; i++) await pool.add(made(), 'p2p');
    validator.limitFailures.set(hashOf(made()).toString('hex'), new RuleFailure('INVALID_MIXIN'));
    validator.looks = 0;
    await Promise.all(Array.from({ length: 50 }, () => pool.onCommit(commit({ added: [block({})] }))));
    expect(validator.looks).toBeLessThanOrEqual(2 * (10 + 1));
  });

  it('does nothing for a side block', async () => {
    const { pool, validator } = bench();
    await pool.add(made(), 'p2p');
    const before = validator.validated;
    await pool.onCommit({ kind: 'alternative', height: 1, hash: Buffer.alloc(32), tip: {} as ChainCommit['tip'] });
    expect(validator.validated).toBe(before);
    expect(pool.size).toBe(1);
  });
});
