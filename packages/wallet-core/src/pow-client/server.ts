import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import { type PowServerSettings, powServerUrl } from './settings';

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

/** What one poll asks the server to hold, in milliseconds. */
const POLL_MS = 20_000;
/** A request may take so much longer than its wait before it counts as lost. */
const GRACE_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Why the server gave no nonce, in a text that can be shown. */
export class PowServerFailure extends Error {
  override readonly name = 'PowServerFailure';

  constructor(
    message: string,
    /** Whether the same request may succeed later. */
    readonly isPassing = false,
    /** How long the server asks to wait before, in milliseconds. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** The members of a server's answer; nothing is known of them. */
export type ServerAnswer = Readonly<Record<string, unknown>>;

interface Question {
  readonly method: 'DELETE' | 'GET' | 'POST';
  readonly url: string;
  readonly data?: object;
  readonly signal?: AbortSignal;
}

/** The three requests to a helper. Each throws PowServerFailure, and ends by itself. */
export class ServerConnection {
  readonly #client: AxiosInstance;

  /** @throws RangeError when the settings name no http(s) server */
  constructor(settings: PowServerSettings) {
    this.#client = axios.create({
      baseURL: powServerUrl(settings),
      maxRedirects: 0,
      maxContentLength: MAX_ANSWER_BYTES,
      proxy: false,
      validateStatus: () => true,
      headers: settings.apiKey === undefined ? {} : { 'X-API-KEY': settings.apiKey },
    });
  }

  /** Asks for nothing but the job's id: whoever gives up before the nonce is there can cancel the job by it. */
  submit(prefix: Buffer, height: number | undefined): Promise<ServerAnswer> {
    return this.#ask({ method: 'POST', url: '/pow', data: { prefix: prefix.toString('hex'), wait_ms: 0, height } }, 0);
  }

  /** Asks for the job, as soon as it has ended. */
  poll(id: string, signal: AbortSignal): Promise<ServerAnswer> {
    return this.#ask({ method: 'GET', url: `/pow/${id}?wait_ms=${POLL_MS}`, signal }, POLL_MS);
  }

  cancel(id: string): Promise<ServerAnswer> {
    return this.#ask({ method: 'DELETE', url: `/pow/${id}` }, 0);
  }

  async #ask({ signal, ...question }: Question, waitMs: number): Promise<ServerAnswer> {
    const limit = AbortSignal.timeout(waitMs + GRACE_MS);
    const response = await this.#client
      .request<unknown>({ ...question, signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) })
      .catch((error: unknown) => {
        throw new PowServerFailure(limit.aborted ? 'gave no answer in time' : errorText(error), true);
      });
    const { status, data, headers } = response;
    const fields: ServerAnswer = data !== null && typeof data === 'object' ? (data as ServerAnswer) : {};
    if (status === 200) return fields;
    throw new PowServerFailure(
      `refused (${status}): ${textOf(fields['error'])}`,
      status === 429 || status >= 500,
      milliseconds(headers['retry-after']),
    );
  }
}

/** A member of an answer as a text that can be shown. */
export function textOf(value: unknown): string {
  return (typeof value === 'string' && cleanText(value)) || 'no reason given';
}

function errorText(error: unknown): string {
  return cleanText(error instanceof Error ? error.message : String(error));
}

/** Retry-After in seconds; a date, which helpers do not send, counts as nothing. */
function milliseconds(retryAfter: unknown): number {
  return /^\d{1,4}$/.test(String(retryAfter)) ? Number(retryAfter) * 1_000 : 0;
}

/** Characters of a server's text that are shown. */
const LONGEST = 200;
/** What no line of a log and no message shall hold: control and formatting characters, line ends, broken pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/** A server's text as one line that can be shown and logged, at most 200 characters and an ellipsis; empty when nothing is left. */
export function cleanText(text: string): string {
  const characters = [...text.replace(UNPRINTABLE, ' ').trim()];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : characters.join('');
}
