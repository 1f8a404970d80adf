import { RuleFailure } from '@wrkz/consensus';
import { encodeTransaction } from '@wrkz/core-types';
import { createMetrics } from '@wrkz/service-kit';
import { FEELESS_TRANSACTIONS } from '../src/mempool/limits';
import { bench, commit, freshKeyImage, hashOf, made } from './support/pool';

describe('admission', () => {
  it('accepts a valid transaction, and emits an event', async () => {
    const { pool } = bench();
    const added: string[] = [];
    pool.on('added', ({ hash, source }) => added.push(`${source} ${hash.toString('hex')}`));
    const bytes = made();
    const hash = hashOf(bytes);
    expect(await pool.add(bytes, 'rpc')).toEqual({ accepted: true, hash });
    expect(added).toEqual([`rpc ${hash.toString('hex')}`]);
    expect(pool.has(hash)).toBe(true);
    expect(pool.get(hash)?.bytes).toEqual(bytes);
    expect(pool.hashes()).toEqual([hash]);
    expect(pool.bytes).toBe(bytes.length);
  });

  it.each([
    Buffer.alloc(0),
    Buffer.from('00', 'hex'),
    made().subarray(0, -1),
    Buffer.concat([made(), Buffer.from([0])]),
  ])('rejects the unreadable bytes %p', async (bytes) => {
    const response = { accepted: false, message: 'Could not deserialize transaction', scope: 'everywhere' };
    expect(await bench().pool.add(bytes, 'p2p')).toEqual(response);
  });

  it('reports the reason code of the violated rule', async () => {
    const { pool, validator } = bench();
    const bytes = made();
    validator.refusals.set(hashOf(bytes).toString('hex'), new RuleFailure('WRONG_FEE'));
    expect(await pool.add(bytes, 'rpc')).toMatchObject({
      accepted: false,
      code: 'WRONG_FEE',
      message: 'Transaction fee is below minimum fee and is not a fusion transaction',
    });
    expect(pool.size).toBe(0);
  });

  it('accepts the same transaction once, from any source', async () => {
    const { pool, validator } = bench();
    const bytes = made();
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const both = [pool.add(bytes, 'rpc'), pool.add(bytes, 'p2p')];
    open();
    const [first, second] = await Promise.all(both);
    expect([first?.accepted, second?.accepted]).toEqual([true, false]);
    expect(second?.message).toBe('Transaction already exists in pool');
    expect(await pool.add(bytes, 'p2p')).toMatchObject({ message: 'Transaction already exists in pool' });
    expect(validator.validated).toBe(1);
  });

  it('gives two concurrent copies of an invalid transaction the same reason', async () => {
    const { pool, validator } = bench();
    const bytes = made();
    validator.refusals.set(hashOf(bytes).toString('hex'), new RuleFailure('INPUT_INVALID_SIGNATURES'));
    const responses = await Promise.all([pool.add(bytes, 'rpc'), pool.add(bytes, 'p2p')]);
    expect(responses.map(({ code }) => code)).toEqual(['INPUT_INVALID_SIGNATURES', 'INPUT_INVALID_SIGNATURES']);
  });

  it('rejects a second spend of a key image after every other check has passed', async () => {
    const { pool, validator } = bench();
    const spent = freshKeyImage();
    await pool.add(made({ keyImage: spent }), 'rpc');
    const second = made({ keyImage: spent, fee: 50n });
    expect(await pool.add(second, 'rpc')).toMatchObject({ message: 'Transaction already exists in pool' });
    validator.refusals.set(hashOf(second).toString('hex'), new RuleFailure('INPUT_INVALID_SIGNATURES'));
    expect(await pool.add(second, 'rpc')).toMatchObject({ code: 'INPUT_INVALID_SIGNATURES' });
  });

  it('reports a double spend once per pair and at most 60 times per minute, and counts each', async () => {
    const { pool, clock, validator } = bench();
    const reports: string[] = [];
    pool.on('doubleSpend', ({ pooled, refused, keyImage }) =>
      reports.push([pooled, refused, keyImage].map((part) => part.toString('hex')).join(' ')),
    );
    const metrics = createMetrics('wrkz_');
    pool.publish(metrics);
    const spent = freshKeyImage();
    const [first, invalid] = [made({ keyImage: spent }), made({ keyImage: spent, fee: 9n })];
    await pool.add(first, 'rpc');
    validator.refusals.set(hashOf(invalid).toString('hex'), new RuleFailure('INPUT_INVALID_SIGNATURES'));
    await pool.add(invalid, 'rpc');
    expect(reports).toEqual([]);
    const conflicts = Array.from({ length: 100 }, (_, i) => made({ keyImage: spent, fee: BigInt(100 + i) }));
    for (const bytes of [...conflicts.slice(0, 1), ...conflicts]) await pool.add(bytes, 'p2p');
    const line = (bytes: Buffer): string =>
      `${hashOf(first).toString('hex')} ${hashOf(bytes).toString('hex')} ${spent.toString('hex')}`;
    expect(reports).toEqual(conflicts.slice(0, 60).map(line));
    clock.now += 60;
    await pool.add(conflicts[59]!, 'p2p');
    await pool.add(conflicts[60]!, 'p2p');
    expect(reports.slice(60)).toEqual([line(conflicts[60]!)]);
    expect(await metrics.registry.metrics()).toContain('wrkz_pool_double_spends_total 103');
  });

  it('checks the proofs of 256 KiB of double spends of peers per minute: their senders have no consequence', async () => {
    const { pool, clock, validator } = bench();
    const spent = freshKeyImage();
    await pool.add(made({ keyImage: spent }), 'rpc');
    const validatedOf = async (count: number, source: 'rpc' | 'p2p'): Promise<number> => {
      const before = validator.validated;
      for (let i = 0; i < count; i++) {
        const doubled = made({ keyImage: spent, padding: 100_000 });
        expect(await pool.add(doubled, source)).toMatchObject({
          message: 'Transaction already exists in pool',
          scope: 'none',
        });
      }
      return validator.validated - before;
    };
    expect([await validatedOf(4, 'p2p'), await validatedOf(4, 'rpc')]).toEqual([2, 4]);
    clock.now += 60;
    expect(await validatedOf(4, 'p2p')).toBe(2);
  });

  it('stages large transactions in different iterations of the event loop', async () => {
    let validated = (): number => 0;
    // Staging of each transaction takes ten milliseconds.
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => validated() * 10);
    const { pool, validator } = bench();
    validated = () => validator.validated;
    const perTurn: number[] = [];
    let isDone = false;
    const countTurns = (before: number): void => {
      perTurn.push(validator.validated - before);
      if (!isDone) setImmediate(countTurns, validator.validated);
    };
    setImmediate(countTurns, 0);
    try {
      await Promise.all(Array.from({ length: 16 }, () => pool.add(made(), 'p2p')));
      await pool.onCommit(commit({ kind: 'switch' }));
    } finally {
      isDone = true;
      clock.mockRestore();
    }
    expect(validator.validated).toBe(32);
    expect(Math.max(...perTurn)).toBe(1);
  });

  it('accepts one of two concurrent spends of a key image', async () => {
    const { pool } = bench();
    const spent = freshKeyImage();
    const responses = await Promise.all([11n, 12n].map((fee) => pool.add(made({ keyImage: spent, fee }), 'p2p')));
    expect(responses.filter(({ accepted }) => accepted)).toHaveLength(1);
    expect(pool.size).toBe(1);
  });

  it('holds at most 60 fusion transactions, and checks that limit before the rules', async () => {
    const { pool, validator } = bench();
    for (let i = 0; i < FEELESS_TRANSACTIONS; i++)
      expect((await pool.add(made({ fee: 0n }), 'p2p')).accepted).toBe(true);
    const validated = validator.validated;
    expect(await pool.add(made({ fee: 0n }), 'p2p')).toMatchObject({
      message: 'Pool already contains the maximum amount of fusion transactions',
    });
    expect(validator.validated).toBe(validated);
    const paying = made();
    expect((await pool.add(paying, 'p2p')).accepted).toBe(true);
    pool.remove(hashOf(paying), 'NotActual');
    const flood = await Promise.all(Array.from({ length: 5 }, () => pool.add(made({ fee: 0n }), 'p2p')));
    expect(flood.some(({ accepted }) => accepted)).toBe(false);
    pool.remove(pool.hashes()[0]!, 'NotActual');
    const more = [await pool.add(made({ fee: 0n }), 'p2p'), await pool.add(made({ fee: 0n }), 'p2p')];
    expect(more.map(({ accepted }) => accepted)).toEqual([true, false]);
  });

  it('does not exceed 60 when many arrive concurrently', async () => {
    const { pool } = bench();
    await Promise.all(Array.from({ length: 100 }, () => pool.add(made({ fee: 0n }), 'p2p')));
    expect(pool.size).toBe(60);
  });

  it('rejects a flood instead of queueing it', async () => {
    const { pool, validator } = bench();
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const all = Array.from({ length: 4200 }, () => pool.add(made(), 'p2p'));
    open();
    const responses = await Promise.all(all);
    const full = responses.filter(({ message }) => message === 'Transaction pool is full');
    expect(full).toHaveLength(4200 - 4096 - 16);
  });

  it('queues at most 16 MiB per source', async () => {
    const { pool, validator } = bench();
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const all = Array.from({ length: 40 }, () => pool.add(made({ padding: 1024 * 1024 }), 'p2p'));
    open();
    const responses = await Promise.all(all);
    expect(responses.filter(({ message }) => message === 'Transaction pool is full')).toHaveLength(40 - 15);
    expect((await pool.add(made({ padding: 1024 * 1024 }), 'p2p')).accepted).toBe(true);
  });

  it('rejects an oversized transaction before parsing it', async () => {
    const { pool, validator } = bench();
    validator.limit = 500;
    const response = { accepted: false, code: 'SIZE_TOO_LARGE', message: 'Transaction is too large (in bytes)' };
    expect(await pool.add(Buffer.alloc(501), 'p2p')).toMatchObject(response);
    expect(await pool.add(Buffer.alloc(500), 'p2p')).toMatchObject({ message: 'Could not deserialize transaction' });
    expect(validator.validated).toBe(0);
  });

  it('rejects an input that references no output without queueing it', async () => {
    const { pool, validator } = bench();
    validator.gate = new Promise(() => undefined);
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
      code: 'INPUT_UNKNOWN_TYPE',
      message: 'Transaction has input with unknown type',
    });
  });

  it('discards a check result from before a reorganisation', async () => {
    const { pool, validator } = bench();
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const bytes = made();
    const adding = pool.add(bytes, 'p2p');
    await new Promise(setImmediate);
    await pool.onCommit(commit({ kind: 'switch' }));
    validator.refusals.set(hashOf(bytes).toString('hex'), new RuleFailure('INPUT_INVALID_SIGNATURES'));
    open();
    expect(await adding).toMatchObject({ code: 'INPUT_INVALID_SIGNATURES' });
    expect(validator.validated).toBe(2);
  });

  it('checks a transaction of one source whose copy was evicted from the queue of another', async () => {
    const { pool, validator } = bench();
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const flood = Array.from({ length: 16 + 4095 }, () => pool.add(made(), 'p2p'));
    const bytes = made();
    const both = [pool.add(bytes, 'p2p'), pool.add(bytes, 'rpc')];
    const other = pool.add(made(), 'rpc');
    open();
    expect(await Promise.all([...both, other])).toMatchObject([
      { accepted: false, message: 'Transaction pool is full' },
      { accepted: true },
      { accepted: true },
    ]);
    await Promise.all(flood);
  });

  it('removes nothing for a check result from before the second of two reorganisations', async () => {
    const { pool, validator, gone } = bench();
    await pool.add(made(), 'p2p');
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const results = [new RuleFailure('INPUT_INVALID_SIGNATURES'), undefined];
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    validator.validate = async () => {
      const result = results.shift();
      begin();
      await gate;
      return result;
    };
    const first = pool.onCommit(commit({ kind: 'switch' }));
    await begun;
    const second = pool.onCommit(commit({ kind: 'switch' }));
    open();
    await Promise.all([first, second]);
    expect(results).toEqual([]);
    expect(gone).toEqual([]);
  });

  it('rejects a transaction whose key image a block spent while its signatures were checked', async () => {
    const { pool, validator } = bench();
    const bytes = made();
    validator.spent.set(hashOf(bytes).toString('hex'), new RuleFailure('INPUT_KEYIMAGE_ALREADY_SPENT'));
    expect(await pool.add(bytes, 'p2p')).toMatchObject({ code: 'INPUT_KEYIMAGE_ALREADY_SPENT' });
  });
});
