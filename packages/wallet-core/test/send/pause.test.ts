import { walletErrorRows } from '../../src/errors';
import { type Pause, SendPause } from '../../src/send/pause';
import type { WalletDb } from '../../src/wallet-db/wallet-db';

function paused({ hasDb = true } = {}) {
  const stored = new Map<string, unknown>();
  const settings = {
    get: (name: string) => stored.get(name),
    put: (name: string, value: unknown) => stored.set(name, value),
    delete: (name: string) => stored.delete(name),
  };
  const db = hasDb ? ({ settings } as unknown as WalletDb) : undefined;
  const changes: (Pause | undefined)[] = [];
  const make = (): SendPause => {
    let isIn = false;
    settings.put = (name, value) => (expect(isIn).toBe(true), stored.set(name, value));
    const commit = (work: () => void): void => {
      isIn = true;
      work();
      isIn = false;
    };
    return new SendPause(
      () => db,
      commit,
      () => 7,
      (pause) => changes.push(pause),
    );
  };
  return { pause: make(), changes, make };
}

const refusal = (reason: string): Error =>
  expect.objectContaining({
    code: walletErrorRows.sendsPaused.code,
    message: expect.stringContaining(reason) as string,
  });

test('a pause by the operator survives a restart, and ends when the operator resumes', () => {
  const { pause, changes, make } = paused();
  expect(() => pause.check()).not.toThrow();
  pause.set('operator', 'a holiday');
  pause.set('operator', 'another reason');
  const expected = { source: 'operator', reason: 'a holiday', since: 7 };
  expect(pause.current).toEqual(expected);
  expect(() => pause.check()).toThrow(refusal('a holiday'));
  const reopened = make();
  reopened.load();
  expect(reopened.current).toEqual(expected);
  reopened.resume();
  expect(reopened.current).toBeUndefined();
  expect(changes).toEqual([expected, undefined]);
  const last = make();
  last.load();
  expect(last.current).toBeUndefined();
});

test.each(['database', 'chainDisagreement', 'heavierBranch'] as const)(
  'a pause for %s is not stored, and ends with its cause',
  (source) => {
    const { pause, changes, make } = paused();
    pause.set(source, 'a cause');
    const reopened = make();
    reopened.load();
    expect(reopened.current).toBeUndefined();
    pause.end('operator');
    expect(changes).toHaveLength(1);
    pause.end(source);
    expect(changes).toEqual([{ source, reason: 'a cause', since: 7 }, undefined]);
  },
);

test.each([
  ['chainDisagreement', 1],
  ['heavierBranch', 1],
  ['database', 2],
] as const)('a resumption overrides %s until it ends; a new cause pauses again', (source, reports) => {
  const { pause, changes } = paused();
  const times = (): number => changes.filter((one) => one?.source === source).length;
  pause.set(source, 'a cause');
  pause.resume();
  expect(pause.current).toBeUndefined();
  pause.end('operator');
  // Reported again while it lasts.
  pause.set(source, 'a cause');
  expect([pause.current?.source, times()]).toEqual([reports === 1 ? undefined : source, reports]);
  pause.end(source);
  pause.set(source, 'a new cause');
  expect([pause.current?.reason, times()]).toEqual(['a new cause', reports + 1]);
});

test('a cause that ended before it was reported again is overridden only until then', () => {
  const { pause, changes } = paused();
  pause.set('heavierBranch', 'one');
  pause.set('chainDisagreement', 'two');
  pause.end('heavierBranch');
  expect(changes.at(-1)).toMatchObject({ source: 'chainDisagreement' });
  expect(pause.current?.reason).toBe('two');
});

test('without a database a pause lasts until the restart', () => {
  const { pause } = paused({ hasDb: false });
  pause.load();
  pause.set('operator', 'a reason');
  expect(pause.current?.reason).toBe('a reason');
  pause.resume();
  expect(pause.current).toBeUndefined();
});
