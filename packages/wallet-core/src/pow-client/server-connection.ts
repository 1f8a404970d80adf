import axios, { type AxiosInstance } from 'axios';
import { powServerUrl, type PowServerSettings } from './endpoint';
import { cleanText } from './server-text';

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
