import { FairQueue, type QueuedCall } from '@wrkz/service-kit';

interface WaitingTask extends QueuedCall {
  start(): void;
  refuse(): void;
}

/** Result of a task that was removed from the full queue before it started. */
export const QUEUE_FULL = Symbol('the queue is full');

/**
 * Runs a limited number of tasks at a time, round-robin over their owners. When the queue is full, the owner with the most
 * waiting tasks loses its latest one, so a flood of one owner never blocks the tasks of another.
 */
export class ValidationQueue {
  private readonly queue: FairQueue<WaitingTask>;

  /** @param maxRunning concurrent tasks @param capacity max waiting tasks of all owners together */
  constructor(maxRunning: number, capacity: number) {
    this.queue = new FairQueue({ lanes: { validation: maxRunning }, capacity, capacityPerOwner: () => Infinity });
  }

  /** Settles like the task, or resolves to QUEUE_FULL if the task is dropped. */
  async run<T>(owner: string, task: () => Promise<T>): Promise<T | typeof QUEUE_FULL> {
    const call = await new Promise<WaitingTask | undefined>((resolve) => {
      const waiting: WaitingTask = {
        name: 'validation',
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
