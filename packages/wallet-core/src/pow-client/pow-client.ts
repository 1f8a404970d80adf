import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import { sanitizedText } from '@wrkz/client';
import { transactionNonceMeets, transactionPowSearch } from '@wrkz/consensus';
import { POW_NONCE_SIZE } from '@wrkz/core-types';
import { searchNonce } from '@wrkz/crypto';
import { errorText, TimeoutError, untilAborted, withTimeout } from '@wrkz/service-kit/base';
import { type PowServerSettings, powServerUrl } from './settings';

export interface PowRequest {
  /** The serialized transaction prefix. Its last 8 bytes are replaced by the nonce; the buffer itself is not changed. */
  readonly prefix: Buffer;
  readonly difficulty: bigint;
  /** Block index whose consensus rules determine the difficulty. Only sent to the server. */
  readonly height?: number;
  readonly signal?: AbortSignal;
}

export interface PowResponse {
  /** The verified nonce: the last 8 bytes of the prefix. */
  readonly nonce: Buffer;
  readonly source: 'server' | 'local';
  /** Why an enabled server was not used; undefined otherwise. */
  readonly serverFailure?: string;
}

export interface PowClientOptions {
  /** Number of threads of the local search; by default all hardware threads. */
  readonly threads?: number;
  /** Timeout of the server in milliseconds, after which the local search starts. */
  readonly serverLimitMs?: number;
  /** Called before a local search that replaces an enabled server. */
  readonly onFallback?: (reason: string) => void;
}

const DEFAULT_SERVER_LIMIT_MS = 120_000;

/**
 * Finds the proof of work of a transaction: on a server if one is enabled, else on local threads. The server is untrusted: a
 * wrong nonce, an error or a timeout leads to the local search.
 */
export class PowClient {
  constructor(
    private readonly settings: PowServerSettings,
    private readonly options: PowClientOptions = {},
  ) {}

  /** @throws the reason of `request.signal`; RangeError when the prefix is shorter than a nonce */
  async findNonce(request: PowRequest): Promise<PowResponse> {
    if (request.prefix.length < POW_NONCE_SIZE) throw new RangeError('the prefix is too short for a nonce');
    request.signal?.throwIfAborted();
    if (!this.settings.enabled) return { nonce: await this.searchLocally(request), source: 'local' };
    try {
      return { nonce: await this.searchOnServer(request), source: 'server' };
    } catch (error) {
      request.signal?.throwIfAborted();
      const serverFailure = errorText(error);
      this.options.onFallback?.(serverFailure);
      return { nonce: await this.searchLocally(request), source: 'local', serverFailure };
    }
  }

  /** @throws PowServerFailure; the job is then cancelled, so that the server does not continue it */
  private async searchOnServer({ prefix, height, difficulty, signal }: PowRequest): Promise<Buffer> {
    const server = new ServerConnection(this.settings);
    const submitted = server.submit(prefix, height);
    try {
      const ended = await withTimeout(
        this.options.serverLimitMs ?? DEFAULT_SERVER_LIMIT_MS,
        [signal],
        async (limited) => pollUntilEnded(server, await untilAborted(submitted, limited), limited),
      );
      const nonce = nonceOf(ended);
      if (!transactionNonceMeets(prefix, nonce, difficulty)) throw new PowServerFailure('the nonce does not verify');
      return nonce;
    } catch (error) {
      // The job id is in the response to the submission, which may be still pending. Errors are ignored.
      submitted.then((response) => server.cancel(jobId(response))).catch(() => undefined);
      if (error instanceof TimeoutError) throw new PowServerFailure(TIMED_OUT);
      throw error;
    }
  }

  private async searchLocally({ prefix, difficulty, signal }: PowRequest): Promise<Buffer> {
    const found = await searchNonce({
      ...transactionPowSearch(prefix, difficulty),
      ...(this.options.threads === undefined ? {} : { threads: this.options.threads }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (found === null) throw new Error('no nonce meets the difficulty');
    return found.nonceBytes;
  }
}

const TIMED_OUT = 'no response in time';

/** Why the server found no nonce. The message is one line. */
class PowServerFailure extends Error {
  override readonly name = 'PowServerFailure';

  constructor(
    message: string,
    /** Whether the same request may succeed later. */
    readonly isTemporary = false,
    /** Delay before the next attempt, from Retry-After. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** Min time between the starts of two polls, even if the server responds immediately. */
const MIN_POLL_GAP_MS = 1_000;
/** Max delay before a poll is retried. */
const MAX_RETRY_MS = 20_000;

async function pollUntilEnded(
  server: ServerConnection,
  submission: ServerResponse,
  signal: AbortSignal,
): Promise<ServerResponse> {
  let response = submission;
  let polledAt = -Infinity;
  const poll = async (id: string, delayMs = 0): Promise<ServerResponse> => {
    await sleep(Math.max(delayMs, polledAt + MIN_POLL_GAP_MS - performance.now()), undefined, { signal });
    polledAt = performance.now();
    return server.poll(id, signal);
  };
  while (response['status'] === 'pending') {
    const id = jobId(submission);
    response = await poll(id).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof PowServerFailure) || !error.isTemporary) throw error;
      return poll(id, Math.min(error.retryAfterMs, MAX_RETRY_MS));
    });
  }
  return response;
}

function jobId(response: ServerResponse): string {
  const id = response['job_id'];
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id))
    throw new PowServerFailure('the response has no valid job id');
  return id;
}

function nonceOf(response: ServerResponse): Buffer {
  if (response['status'] !== 'done') throw new PowServerFailure(`the job ended: ${textOf(response['status'])}`);
  const nonce = response['nonce'];
  if (typeof nonce !== 'string' || !/^[0-9a-f]{16}$/.test(nonce)) {
    throw new PowServerFailure('the response has no valid nonce');
  }
  return Buffer.from(nonce, 'hex');
}

/** Max duration of a poll at the server (long polling). */
const POLL_MS = 20_000;
/** Added to the expected duration of a request to get its timeout. */
const GRACE_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

type ServerResponse = Readonly<Record<string, unknown>>;

interface ServerRequest {
  readonly method: 'DELETE' | 'GET' | 'POST';
  readonly url: string;
  readonly data?: object;
  readonly signal?: AbortSignal;
}

/** HTTP client of a proof-of-work server. Each request has a timeout and rejects with PowServerFailure. */
class ServerConnection {
  private readonly client: AxiosInstance;

  /** @throws RangeError when the settings have no valid http(s) URL */
  constructor(settings: PowServerSettings) {
    this.client = axios.create({
      baseURL: powServerUrl(settings),
      maxRedirects: 0,
      maxContentLength: MAX_RESPONSE_BYTES,
      proxy: false,
      validateStatus: () => true,
      headers: settings.apiKey === undefined ? {} : { 'X-API-KEY': settings.apiKey },
    });
  }

  /** Submits a job without waiting for its nonce, so that the client has the job id and can cancel the job. */
  submit(prefix: Buffer, height: number | undefined): Promise<ServerResponse> {
    const data = { prefix: prefix.toString('hex'), wait_ms: 0, height };
    return this.request({ method: 'POST', url: '/pow', data }, 0);
  }

  /** Returns when the job has ended, or after `POLL_MS`. */
  poll(id: string, signal: AbortSignal): Promise<ServerResponse> {
    return this.request({ method: 'GET', url: `/pow/${id}?wait_ms=${POLL_MS}`, signal }, POLL_MS);
  }

  cancel(id: string): Promise<ServerResponse> {
    return this.request({ method: 'DELETE', url: `/pow/${id}` }, 0);
  }

  private async request({ signal, ...request }: ServerRequest, waitMs: number): Promise<ServerResponse> {
    const response = await withTimeout(waitMs + GRACE_MS, [signal], (limited) =>
      this.client.request<unknown>({ ...request, signal: limited }),
    ).catch((error: unknown) => {
      throw new PowServerFailure(error instanceof TimeoutError ? TIMED_OUT : errorText(error), true);
    });
    const { status, data, headers } = response;
    const fields: ServerResponse = data !== null && typeof data === 'object' ? (data as ServerResponse) : {};
    if (status === 200) return fields;
    throw new PowServerFailure(
      `status ${status}: ${textOf(fields['error'])}`,
      status === 429 || status >= 500,
      retryAfterMs(headers['retry-after']),
    );
  }
}

/** Parses a Retry-After header in seconds. @returns milliseconds; 0 for a date, which the servers do not send */
function retryAfterMs(header: unknown): number {
  return /^\d{1,4}$/.test(String(header)) ? Number(header) * 1_000 : 0;
}

/** A field of a response as text for the log. */
function textOf(value: unknown): string {
  return sanitizedText(value) ?? 'no reason given';
}
