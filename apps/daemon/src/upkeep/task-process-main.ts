import { Worker } from 'node:worker_threads';
import { errorText } from '@wrkz/service-kit/base';

/** What a process that does one task says to the program that started it. */
export type FromTaskProcess =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly why: string };

/** Milliseconds from one look at the program that started this one to the next. */
const LOOK = 100;

/** The work may hold up this thread for hours, so another one notices that nobody waits for it any more. */
const WATCH = `
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, ${LOOK});
`;

/**
 * The main function of a process that does one task on a file, so that it can be ended at any moment, whatever SQLite is
 * about. It is killed when it is done: a connection that closes in good order may take the write-ahead log of the others along.
 */
export function serveTask<T>(work: (task: T, progress: (done: number, total: number) => void) => unknown): void {
  const say = (message: FromTaskProcess): void => void process.send?.(message);
  new Worker(WATCH, { eval: true });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // The terminal's interrupt goes to all of its processes; the one that waits for this one ends it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.once('message', (task: T) => {
    void (async () => {
      try {
        const value = await work(task, (done, total) => say({ kind: 'progress', done, total }));
        say({ kind: 'done', value });
      } catch (error) {
        say({ kind: 'failed', why: errorText(error) });
      }
    })();
  });
}
