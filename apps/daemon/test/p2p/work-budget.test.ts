import { WorkBudget } from '../../src/p2p/limits/address-budget';

/** A budget with its two clocks in hand; `work` takes so many milliseconds of the event loop and of the day. */
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

describe('the work of one address', () => {
  it('may take a second at once, however long nothing was asked before', () => {
    const { account, idle, work } = budget();
    idle(86_400_000);
    work(900);
    expect(account.owed()).toBe(0);
    work(1_000);
    // 1,000 at first, less 1,900, and a tenth of the second that the last piece took.
    expect(account.owed()).toBe(8_000);
  });

  it('is counted when it fails, too, and what is owed flows off by a tenth of the time', () => {
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

  it('made to wait for more than a minute within an hour is one time too many; waits fade', () => {
    const { account, idle } = budget();
    expect([account.note(30_000), account.note(30_000), account.note(1)]).toEqual([false, false, true]);
    expect(account.note(60_000)).toBe(false);
    idle(3_600_000);
    expect([account.note(60_000), account.note(1)]).toEqual([false, true]);
  });
});
