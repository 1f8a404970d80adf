import fc from 'fast-check';
import { targetText } from '../../src/stratum/jobs';
import { ShareDifficulty } from '../../src/stratum/session';
import { stratumStatusText } from '../../src/console/commands/stratum';
import { StratumWorker } from '../../src/stratum/workers';
import { stratumBench, WORST_HASH } from './support';

const BLOCK = 1_000_000n;

describe('the target', () => {
  it.each([
    [0n, 'ffffffffffffffff'],
    [1n, 'ffffffffffffffff'],
    [2n, 'ffffffffffffff7f'],
    [10n, '9999999999999919'],
    [2n ** 64n - 1n, '0100000000000000'],
  ])('of %s', (difficulty, text) => expect(targetText(difficulty)).toBe(text));
});

describe('share difficulty', () => {
  it('is that of the block for 0; a fixed one is constant, and never above that of the block', () => {
    const time = { now: 0 };
    const zero = new ShareDifficulty({ fixed: 0n, interval: 0 }, () => time.now);
    const fixed = new ShareDifficulty({ fixed: 500n, interval: 0 }, () => time.now);
    expect([zero.of(BLOCK), fixed.of(BLOCK), fixed.of(10n)]).toEqual([BLOCK, 500n, 10n]);
    for (let i = 0; i < 100; i++) fixed.count();
    time.now += 1_000_000;
    expect(fixed.adjust(BLOCK)).toBe(false);
    expect(fixed.of(BLOCK)).toBe(500n);
  });

  it('converges so that a miner of any speed sends one share per interval', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 50_000 }), fc.integer({ min: 1, max: 30 }), (speed, interval) => {
        const time = { now: 0 };
        const difficulty = new ShareDifficulty({ fixed: 0n, interval }, () => time.now);
        for (let share = 0; share < 400; share++) {
          const wait = (Number(difficulty.of(2n ** 60n)) / speed) * 1000;
          for (let waited = 0; waited < wait; waited += 1_000) {
            time.now += Math.min(1_000, wait - waited);
            difficulty.adjust(2n ** 60n);
          }
          difficulty.count();
          difficulty.adjust(2n ** 60n);
        }
        const seconds = Number(difficulty.of(2n ** 60n)) / speed;
        expect(seconds).toBeGreaterThan(interval / 2);
        expect(seconds).toBeLessThan(interval * 2);
      }),
      { numRuns: 30 },
    );
  });

  it('changes with a new job, whose shares are never duplicates of earlier ones', async () => {
    const bench = await stratumBench('devnet', { shareDifficulty: { fixed: 1n, interval: 10 } });
    bench.state.compute = async () => WORST_HASH;
    const miner = bench.connect();
    const first = await miner.login(bench.address);
    for (let i = 0; i < 8; i++) {
      miner.send({ id: i, method: 'submit', params: { job_id: first.job_id, nonce: `0000000${i}` } });
    }
    const { params: second } = await miner.until(({ method }) => method === 'job');
    expect(second?.blob).not.toBe(first.blob);
    expect(second?.target).toBe(targetText(4n));
    expect(second?.height).toBe(first.height);
    // Such a share counts for the first job, but not for the second.
    expect((await miner.request('submit', { job_id: first.job_id, nonce: 'aaaaaaaa' })).result).toEqual({
      status: 'OK',
    });
    expect(await miner.refusal('submit', { job_id: second?.job_id, nonce: '00000000' })).toBe('Low difficulty share');
    await bench.close();
  });
});

describe('the miner report', () => {
  it('computes the hash rate from shares', () => {
    const worker = new StratumWorker('w', 0);
    for (let second = 10; second <= 600; second += 10) worker.count('accepted', 1_000n, second * 1_000);
    expect(worker.hashRate(600_000)).toBeGreaterThan(85);
    expect(worker.hashRate(600_000)).toBeLessThan(115);
    worker.count('rejected', 1_000_000n, 600_000);
    expect(worker.hashRate(600_000)).toBeLessThan(115);
    expect(worker.hashRate(3_600_000)).toBe(0);
  });

  it('lists each worker', async () => {
    expect(stratumStatusText(undefined, 0)).toBe('The stratum server is off.\n');
    const bench = await stratumBench('simnet');
    const text = (): string => stratumStatusText(bench.server, bench.time.now);
    expect(text()).toBe(
      `Listening On: 127.0.0.1:${bench.server.port}\nConnections: 0 (0 logged in)\nNo miner has logged in yet.\n`,
    );
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address, { rigid: 'cellar' });
    await miner.request('submit', { job_id, nonce: '00000000' });
    bench.time.now += 5_000;
    const lines = text().split('\n');
    expect(lines[1]).toBe('Connections: 1 (1 logged in)');
    expect(lines[3]).toMatch(
      /^\| Worker +\| Connections \| Hashrate +\| Accepted \| Stale \| Rejected \| Blocks \| Last Share \|$/,
    );
    expect(lines[5]).toMatch(
      new RegExp(
        `^\\| ${bench.address}/cellar \\| 1 +\\| 0\\.\\d\\d H/s +\\| 1 +\\| 0 +\\| 0 +\\| 1 +\\| 5s ago +\\|$`,
      ),
    );
    expect(new Set(lines.slice(2, 7).map(({ length }) => length)).size).toBe(1);
    await bench.close();
  });
});
