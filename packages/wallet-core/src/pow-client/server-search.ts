import { setTimeout as sleep } from 'node:timers/promises';
import type { PowServerSettings } from './endpoint';
import { PowServerFailure, ServerConnection, textOf, type ServerAnswer } from './server-connection';

/** Two polls never begin within this time, whatever the server answers, in milliseconds. */
const LEAST_GAP_MS = 1_000;
/** The longest that a server may have a wallet wait before the second try of a poll. */
const LONGEST_RETRY_MS = 20_000;
const NONCE = /^[0-9a-f]{16}$/;
const JOB_ID = /^[0-9a-f]{32}$/;

export interface ServerJob {
  readonly prefix: Buffer;
  readonly height: number | undefined;
  /** Whether 8 bytes at the end of the prefix meet the difficulty. */
  readonly verify: (nonce: Buffer) => boolean;
  /** Ends everything at the wallet's own time limit or cancel. */
  readonly signal: AbortSignal;
}

/**
 * Has a server search the nonce: submits, then long-polls until the job has ended. On every way out without a nonce that
 * verifies the job is cancelled, so that nobody hashes for nothing.
 * @throws PowServerFailure with the reason
 */
export async function searchOnServer(settings: PowServerSettings, job: ServerJob): Promise<Buffer> {
  const server = new ServerConnection(settings);
  const submitted = server.submit(job.prefix, job.height);
  try {
    const nonce = nonceOf(await untilEnded(server, await orAbort(submitted, job.signal), job.signal));
    if (!job.verify(nonce)) throw new PowServerFailure('gave a nonce that does not verify');
    return nonce;
  } catch (error) {
    // The submission may be on its way yet: its answer tells the id. Best effort, the wallet goes on elsewhere.
    submitted.then((answer) => server.cancel(jobId(answer))).catch(() => undefined);
    if (job.signal.aborted) throw new PowServerFailure('gave no answer in time');
    throw error;
  }
}

async function untilEnded(
  server: ServerConnection,
  submission: ServerAnswer,
  signal: AbortSignal,
): Promise<ServerAnswer> {
  let answer = submission;
  let polledAt = -Infinity;
  const poll = async (id: string, delayMs = 0): Promise<ServerAnswer> => {
    await sleep(Math.max(delayMs, polledAt + LEAST_GAP_MS - performance.now()), undefined, { signal });
    polledAt = performance.now();
    return server.poll(id, signal);
  };
  while (answer['status'] === 'pending') {
    const id = jobId(submission);
    answer = await poll(id).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof PowServerFailure) || !error.isPassing) throw error;
      return poll(id, Math.min(error.retryAfterMs, LONGEST_RETRY_MS));
    });
  }
  return answer;
}

/** Leaves a request alone when the signal fires; it goes on. */
function orAbort<T>(request: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new PowServerFailure('gave no answer in time'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void request.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function jobId(answer: ServerAnswer): string {
  const id = answer['job_id'];
  if (typeof id !== 'string' || !JOB_ID.test(id)) throw new PowServerFailure('answered without a job id');
  return id;
}

function nonceOf(answer: ServerAnswer): Buffer {
  if (answer['status'] !== 'done') throw new PowServerFailure(`ended as ${textOf(answer['status'])}`);
  const nonce = answer['nonce'];
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) throw new PowServerFailure('answered without a nonce');
  return Buffer.from(nonce, 'hex');
}
