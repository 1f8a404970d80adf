import { Command, type Frame } from '@wrkz/levin';
import { AddressBudget, AddressBudgets, WorkBudget, RateLimit } from '../../../src/p2p/limits/address-budget';

/** A budget with scripted clocks; `work` takes this many milliseconds of processing time and of elapsed time. */
function budget() {
  let [now, used] = [0, 0];
  const account = new WorkBudget(
    () => now,
    () => used,
  );
  return {
    account,
    idle: (milliseconds: number): void => void (now += milliseconds),
    work: (milliseconds: number, end = (): void => undefined): void =>
      account.measure(() => {
        now += milliseconds;
        used += milliseconds;
        end();
      }),
  };
}

describe('the processing time of one address', () => {
  it('is limited to one second at a time after any idle time', () => {
    const { account, idle, work } = budget();
    idle(86_400_000);
    work(900);
    expect(account.owed()).toBe(0);
    work(1_000);
    // Initially 1,000, minus 1,900, plus a tenth of the second of the last piece of work.
    expect(account.owed()).toBe(8_000);
  });

  it('is counted for failed work, too, and the debt decreases by a tenth of the elapsed time', () => {
    const { account, idle, work } = budget();
    const fail = (): void => {
      throw new Error('in the middle');
    };
    expect(() => work(2_000, fail)).toThrow('in the middle');
    expect(account.owed()).toBe(10_000);
    idle(9_990);
    expect(account.owed()).toBe(10);
    idle(10);
    expect(account.owed()).toBe(0);
  });

  it('exceeded for more than a minute within an hour is one penalty; delays expire', () => {
    const { account, idle } = budget();
    expect([account.note(30_000), account.note(30_000), account.note(1)]).toEqual([false, false, true]);
    expect(account.note(60_000)).toBe(false);
    idle(3_600_000);
    expect([account.note(60_000), account.note(1)]).toEqual([false, true]);
    expect(account.note(60_000)).toBe(false);
    idle(1_800_000);
    expect([account.note(30_000), account.note(1)]).toEqual([false, true]);
  });
});

describe('the budget of one address', () => {
  let now = 0;
  beforeEach(() => (now = 0));
  const frame = (command: number, bytes = 300): Frame =>
    ({ command, kind: 'notification', returnCode: 0, body: { length: bytes } }) as Frame;
  const budget = (): AddressBudget =>
    new AddressBudget(
      () => now,
      () => 0,
    );

  it('bans at 100 points, which fade by 100 an hour and start again at 0 after a ban', () => {
    const one = budget();
    expect([34, 34, 34, 90].map((points) => one.addPoints(points))).toEqual([false, false, true, false]);
    now += 3_600_000;
    expect([one.addPoints(90), one.addPoints(9), one.addPoints(1)]).toEqual([false, false, true]);
    expect(one.addPoints(0)).toBe(false);
  });

  it('reduces points by 50 in half an hour', () => {
    const one = budget();
    one.addPoints(90);
    now += 1_800_000;
    expect([one.addPoints(59), one.addPoints(1)]).toEqual([false, true]);
  });

  it.each([
    ['connections', 30, 5_000],
    ['poolRequests', 10, 10_000],
    ['unfitTransactions', 1_000, 200],
  ] as const)('allows a burst of %s: %i, then one in %i ms', (resource, burst, milliseconds) => {
    const one = budget();
    expect([one.take(resource, burst), one.take(resource)]).toEqual([true, false]);
    now += milliseconds;
    expect([one.take(resource), one.take(resource)]).toEqual([true, false]);
  });

  it('allows a burst of one minute of node requests, then one a second, of any size', () => {
    const one = budget();
    const sync = (): boolean => one.takeFrame(frame(Command.timedSync), false);
    expect(Array.from({ length: 61 }, sync).lastIndexOf(true)).toBe(59);
    now += 1_000;
    expect([sync(), sync()]).toEqual([true, false]);
    expect(one.takeFrame(frame(Command.newLiteBlock), false)).toBe(true);
  });

  it('allows a burst of 4,000 frames, requested ones included', () => {
    const one = budget();
    const sent = Array.from({ length: 4_001 }, () => one.takeFrame(frame(Command.responseObjects), true));
    expect([sent.lastIndexOf(true), sent.indexOf(false)]).toEqual([3_999, 4_000]);
  });

  it('allows a burst of 96 MiB of unrequested frames, then 1 MiB a second', () => {
    const one = budget();
    const send = (isRequested: boolean): boolean =>
      one.takeFrame(frame(Command.newTransactions, 47 * 1024 * 1024), isRequested);
    expect([send(false), send(false), send(false), send(true)]).toEqual([true, true, false, true]);
    now += 48_000;
    expect(send(false)).toBe(true);
  });
});

test('a rate allows a burst, then the refill', () => {
  const rate = new RateLimit(2, 5, 0);
  expect(Array.from({ length: 7 }, () => rate.take(0))).toEqual([true, true, true, true, true, false, false]);
  expect([rate.take(400), rate.take(500), rate.take(600), rate.take(100_000, 6)]).toEqual([false, true, false, false]);
});

test('budgets of closed connections are dropped before those of open ones', () => {
  const budgets = new AddressBudgets(
    () => 0,
    () => 0,
  );
  const remote = (index: number) => ({ host: `20.${index >> 8}.${index & 255}.1`, port: 1 });
  const connected = budgets.enter(remote(0));
  const idle = budgets.of(remote(1));
  for (let index = 2; index <= 10_000; index += 1) budgets.of(remote(index));
  expect(budgets.size).toBe(10_000);
  expect(budgets.of(remote(0))).toBe(connected);
  expect(budgets.of(remote(1))).not.toBe(idle);
});
