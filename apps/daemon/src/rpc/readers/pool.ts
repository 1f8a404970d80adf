import type { NetworkName } from '@wrkz/core-types';
import { FifoQueue, ThreadPool, workerEntry } from '@wrkz/service-kit';
import { RpcRefusal } from '../errors';
import type { QueryName, QueryRunner, QueryTable } from '../queries';
import { READER_ERRORS, type ReaderThread } from './protocol';

export interface ReaderPoolOptions {
  readonly directory: string;
  readonly network: NetworkName;
  readonly threads: number;
  /** Requests that may wait; more are refused with 503. */
  readonly maxWaiting: number;
}

/**
 * Reader threads, each with a read-only connection of its own, so that a long answer holds neither the event loop
 * nor the writer. First come, first served.
 */
export class ReaderPool implements QueryRunner {
  readonly #threads: ThreadPool<ReaderThread>;

  constructor({ directory, network, threads, maxWaiting }: ReaderPoolOptions) {
    this.#threads = new ThreadPool<ReaderThread>({
      thread: { entry: workerEntry(__dirname, 'thread'), setup: { directory, network }, errors: READER_ERRORS },
      size: threads,
      queue: new FifoQueue(maxWaiting),
      busyError: () => new RpcRefusal(503, { status: 'Failed', error: 'RPC server is busy, please retry shortly' }),
      closedError: () => new Error('the RPC server is shutting down'),
    });
  }

  run<Name extends QueryName>(name: Name, query: QueryTable[Name]): Promise<string> {
    return this.#threads.call(name, query);
  }

  /** Refuses what waits, lets the running queries end, closes the connections. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
