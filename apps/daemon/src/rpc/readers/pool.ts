import { Worker } from 'node:worker_threads';
import { workerEntry } from '@wrkz/service-kit';
import type { NetworkName } from '@wrkz/core-types';
import { RpcRefusal } from '../errors';
import type { QueryName, QueryRunner, QueryTable } from '../queries';
import type { ReaderReply, ReaderThreadData } from './messages';

export interface ReaderPoolOptions {
  readonly directory: string;
  readonly network: NetworkName;
  readonly threads: number;
  /** Requests that may wait; more are refused with 503. */
  readonly maxWaiting: number;
}

interface Job {
  readonly id: number;
  readonly name: QueryName;
  readonly query: QueryTable[QueryName];
  readonly resolve: (body: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reader threads, each with a read-only connection of its own, so that a long answer holds neither the event loop
 * nor the writer. First come, first served; a thread that dies fails its one request and is replaced.
 */
export class ReaderPool implements QueryRunner {
  readonly #options: ReaderPoolOptions;
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Job>();
  readonly #waiting: Job[] = [];
  #nextId = 1;
  #closed = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
    for (let i = 0; i < options.threads; i++) this.#idle.push(this.#startThread());
  }

  run<Name extends QueryName>(name: Name, query: QueryTable[Name]): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#closed || this.#waiting.length >= this.#options.maxWaiting) {
        reject(new RpcRefusal(503, { status: 'Failed', error: 'RPC server is busy, please retry shortly' }));
        return;
      }
      this.#waiting.push({ id: this.#nextId++, name, query, resolve, reject });
      this.#dispatch();
    });
  }

  /** Refuses what waits, lets the running queries end, closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) job.reject(new Error('the RPC server is shutting down'));
    const threads = [...this.#idle, ...this.#busy.keys()];
    await Promise.all(
      threads.map(
        (thread) =>
          new Promise<void>((resolve) => {
            thread.once('exit', () => resolve());
            thread.postMessage('close');
          }),
      ),
    );
  }

  #dispatch(): void {
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      const thread = this.#idle.pop() as Worker;
      const job = this.#waiting.shift() as Job;
      this.#busy.set(thread, job);
      thread.postMessage({ id: job.id, name: job.name, query: job.query });
    }
  }

  #startThread(): Worker {
    const { directory, network } = this.#options;
    const workerData: ReaderThreadData = { directory, network };
    const { path, execArgv } = workerEntry(__dirname, 'thread');
    const thread = new Worker(path, { execArgv, workerData });
    thread.on('message', (reply: ReaderReply) => this.#onReply(thread, reply));
    thread.on('error', (error) => this.#onDeath(thread, error));
    return thread;
  }

  #onReply(thread: Worker, reply: ReaderReply): void {
    const job = this.#busy.get(thread);
    if (job === undefined || job.id !== reply.id) return;
    this.#busy.delete(thread);
    if (!this.#closed) this.#idle.push(thread);
    if ('body' in reply) job.resolve(reply.body);
    else if ('refusal' in reply) job.reject(new RpcRefusal(reply.refusal.status, reply.refusal.body));
    else job.reject(new Error(reply.failure));
    this.#dispatch();
  }

  #onDeath(thread: Worker, error: Error): void {
    this.#busy.get(thread)?.reject(error);
    this.#busy.delete(thread);
    const index = this.#idle.indexOf(thread);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#closed) return;
    this.#idle.push(this.#startThread());
    this.#dispatch();
  }
}
