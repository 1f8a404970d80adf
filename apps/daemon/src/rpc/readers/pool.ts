import { availableParallelism } from 'node:os';
import type { NetworkName } from '@wrkz/core-types';
import type { DatabaseMemory } from '@wrkz/chain-db';
import { countedAddress, FairQueue, isLoopback, ThreadPool, workerEntry } from '@wrkz/service-kit';
import { refuseOverload } from '../errors';
import { isHeavy, type QueryCaller, type QueryName, type QueryRunner, type QueryTable } from '../queries';
import { READER_ERRORS, type ReaderThread } from './protocol';

/** Queries that may wait, and of these from one address (IPv6: one /64). */
const PLACES = 256;
const PLACES_PER_ADDRESS = 32;

const MOST_THREADS = 4;

export interface ReaderPoolOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** At least 2, so that long queries can leave one to the short ones. */
  readonly threads?: number;
  readonly memory?: DatabaseMemory;
  /** This process holds the database open already and has looked at its log; see `OpenOptions.besideOwn`. */
  readonly besideOwn?: boolean;
  /** The error for who waits or asks when the pool is closed. */
  readonly closedError?: () => Error;
}

/**
 * Reader threads, each with a read-only connection of its own, so that a long answer holds neither the event loop nor the
 * writer. Addresses take turns; long queries always leave a thread to short ones; whoever has left is forgotten, also by a
 * thread that works for him already (docs/protocol/rpc.md#long-answers).
 */
export class ReaderPool implements QueryRunner {
  readonly #threads: ThreadPool<ReaderThread>;

  constructor({ directory, network, memory, besideOwn, threads = readerThreads(), ...rest }: ReaderPoolOptions) {
    if (threads < 2) throw new RangeError('a thread must be left to short queries');
    this.#threads = new ThreadPool<ReaderThread>({
      thread: {
        entry: workerEntry(__dirname, 'thread'),
        setup: { directory, network, ...(memory && { memory }), ...(besideOwn === true && { besideOwn }) },
        errors: READER_ERRORS,
      },
      size: threads,
      queue: new FairQueue({
        lanes: { light: Infinity, heavy: threads - 1 },
        capacity: PLACES,
        // Programs of this machine may stand for many callers; nor do the other limits count them.
        capacityPerOwner: (address) => (isLoopback(address) ? PLACES : PLACES_PER_ADDRESS),
      }),
      busyError: refuseOverload,
      closedError: rest.closedError ?? (() => new Error('the RPC server is shutting down')),
    });
  }

  /** Queries that wait for a thread. */
  get waiting(): number {
    return this.#threads.waiting;
  }

  /** @throws RpcRefusal 503 when too much waits, the reason of `gone` when the caller has left */
  run<Name extends QueryName>(name: Name, query: QueryTable[Name], { client, gone }: QueryCaller): Promise<Buffer> {
    const lane = isHeavy(name, query) ? 'heavy' : 'light';
    return this.#threads.call(name, query, { signal: gone, owner: countedAddress(client), lane });
  }

  /** Refuses what waits, lets the running queries end, closes the connections. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}

/**
 * Two on the smallest machine too: mostly one of them sleeps, and then it costs some megabytes.
 * @param most fewer than the hardware would have, if the operator wants it so
 */
export function readerThreads(most = MOST_THREADS): number {
  return Math.max(2, Math.min(MOST_THREADS, most, availableParallelism() - 1));
}
