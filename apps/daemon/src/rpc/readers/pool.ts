import { availableParallelism } from 'node:os';
import { refusals } from '@wrkz/api/daemon-errors';
import type { DatabaseMemory } from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';
import { countedAddress, FairQueue, isLoopback, ThreadPool, workerEntry } from '@wrkz/service-kit';
import { refuseRetryable } from '../errors';
import { isHeavy, type QueryCaller, type QueryName, type QueryRunner, type QueryTable } from '../queries';
import { ReaderBudget } from './budget';
import { READER_ERRORS, type ReaderThread } from './protocol';

/** Max queued queries, and max of one address (IPv6: one /64). */
const QUEUE_CAPACITY = 256;
const QUEUE_CAPACITY_PER_ADDRESS = 32;

const MAX_THREADS = 4;

export interface ReaderPoolOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** At least 2: heavy queries leave one to light queries. */
  readonly threads?: number;
  readonly memory?: DatabaseMemory;
  /** Whether this process has the database open and has checked its log; see `OpenOptions.besideOwn`. */
  readonly besideOwn?: boolean;
  /** Max requests per minute of one address: the reader time of an address is limited in proportion. Default: 0, no limit. */
  readonly maxRpm?: number;
  /** Error of queries that are queued when the pool closes, or come later. */
  readonly closedError?: () => Error;
}

/**
 * Reader threads with one read-only connection each: a long query blocks neither the event loop nor the writer. Addresses take
 * turns, heavy queries leave a thread to light ones, and a query whose client is gone is cancelled
 * (docs/protocol/rpc.md#large-responses).
 */
export class ReaderPool implements QueryRunner {
  private readonly threads: ThreadPool<ReaderThread>;
  private readonly budget: ReaderBudget;

  constructor({ directory, network, memory, besideOwn, threads = readerThreads(), ...rest }: ReaderPoolOptions) {
    this.budget = new ReaderBudget(rest.maxRpm ?? 0);
    if (threads < 2) throw new RangeError('at least 2 threads: one is for light queries');
    this.threads = new ThreadPool<ReaderThread>({
      thread: {
        entry: workerEntry(__dirname, 'thread'),
        setup: { directory, network, ...(memory && { memory }), ...(besideOwn === true && { besideOwn }) },
        errors: READER_ERRORS,
      },
      size: threads,
      queue: new FairQueue({
        lanes: { light: Infinity, heavy: threads - 1 },
        capacity: QUEUE_CAPACITY,
        // A program of this machine may serve many clients; the other limits do not count it either.
        capacityPerOwner: (address) => (isLoopback(address) ? QUEUE_CAPACITY : QUEUE_CAPACITY_PER_ADDRESS),
      }),
      busyError: () => refuseRetryable(refusals.overloaded),
      closedError: rest.closedError ?? (() => new Error('the RPC server is shutting down')),
      onEnded: ({ owner = '' }, elapsedMs, result) =>
        this.budget.charge(owner, elapsedMs, result instanceof Uint8Array ? result.length : 0),
    });
  }

  /** Queued queries. */
  get waiting(): number {
    return this.threads.waiting;
  }

  /** @throws RpcRefusal 503 if the queue is full, 429 if the address has used its reader time; the reason of `gone` */
  async run<Name extends QueryName>(
    name: Name,
    query: QueryTable[Name],
    { client, gone }: QueryCaller,
  ): Promise<Buffer> {
    this.budget.check(client);
    const lane = isHeavy(name, query) ? 'heavy' : 'light';
    // `::1` is not counted with its /64, because the limits of loopback are others.
    const owner = isLoopback(client) ? client : countedAddress(client);
    return this.threads.call(name, query, { signal: gone, owner, lane });
  }

  /** Rejects queued queries, lets running ones end, and closes the connections. */
  close(): Promise<void> {
    return this.threads.close();
  }
}

/**
 * The number of reader threads: at least two, also on the smallest machine, where an idle one only costs some megabytes.
 * @param max configured by the operator
 */
export function readerThreads(max = MAX_THREADS): number {
  return Math.max(2, Math.min(MAX_THREADS, max, availableParallelism() - 1));
}
