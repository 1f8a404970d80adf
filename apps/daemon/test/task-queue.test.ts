import { TaskQueue } from '../src/util/task-queue';

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Lets every promise that can settle do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a task queue', () => {
  it('runs tasks up to its concurrency, and the others in FIFO order', async () => {
    const queue = new TaskQueue(2);
    const started: number[] = [];
    const gates = [0, 1, 2, 3].map(() => gate());
    const all = gates.map(({ opened }, i) => queue.run(() => (started.push(i), opened)));
    await settle();
    expect(started).toEqual([0, 1]);
    gates[1]?.open();
    await all[1];
    await settle();
    expect(started).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    await Promise.all(all);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('starts the next task after one fails', async () => {
    const queue = new TaskQueue(1);
    const failed = queue.run(() => Promise.reject(new Error('no')));
    const next = queue.run(() => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('done');
  });
});
