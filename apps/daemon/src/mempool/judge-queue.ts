import { FairQueue, type QueuedCall } from '@wrkz/service-kit';

interface WaitingTask extends QueuedCall {
  start(): void;
  refuse(): void;
}

/** Returned for a task that lost its place in the queue. */
export const QUEUE_FULL = Symbol('the queue is full');

/**
 * Runs a limited number of tasks at a time, round-robin over their owners. When the queue is full, the owner with the most
 * waiting tasks loses its latest one, so a flood of one owner never keeps out the tasks of another.
 */
export class JudgeQueue {
  private readonly queue: FairQueue<WaitingTask>;

  /** @param maxRunning tasks that run at a time @param capacity tasks that may wait, of all owners */
  constructor(maxRunning: number, capacity: number) {
    this.queue = new FairQueue({ lanes: { judge: maxRunning }, capacity, capacityPerOwner: () => Infinity });
  }

  /** Resolves as the task does, or to QUEUE_FULL if the task is refused. */
  async run<T>(owner: string, task: () => Promise<T>): Promise<T | typeof QUEUE_FULL> {
    const call = await new Promise<WaitingTask | undefined>((resolve) => {
      const waiting: WaitingTask = {
        name: 'judge',
        options: { owner },
        start: () => resolve(waiting),
        refuse: () => resolve(undefined),
      };
      this.queue.add(waiting)?.refuse();
      this.queue.next()?.start();
    });
    if (call === undefined) return QUEUE_FULL;
    try {
      return await task();
    } finally {
      this.queue.done(call);
      this.queue.next()?.start();
    }
  }
}
