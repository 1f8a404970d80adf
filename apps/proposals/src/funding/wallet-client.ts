import axios, { type AxiosInstance } from 'axios';
import { errorText, parseJson, type JsonValue } from '@wrkz/service-kit';
import type { z } from 'zod';
import { AnswerTooLong, WalletAway } from './income';

/** Longest wait for one answer, milliseconds. */
const PATIENCE_MS = 20_000;
/** Largest answer in bytes, unpacked. */
const MAX_ANSWER = 4 * 1024 * 1024;
const MAX_VALUES = 1_000_000;

/** What a wallet is asked. */
interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly data?: string;
  readonly signal: AbortSignal;
}

/** Asks one wallet service. Nothing of it is believed: redirects, long answers, and what a schema does not take are failures. */
export class WalletClient {
  private readonly http: AxiosInstance;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.http = axios.create({
      baseURL: url.replace(/\/+$/, ''),
      headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
      maxRedirects: 0,
      maxContentLength: MAX_ANSWER,
      timeout: PATIENCE_MS,
      proxy: false,
      responseType: 'text',
      transformResponse: (text: unknown) => text,
      validateStatus: () => true,
    });
  }

  /** @throws WalletAway; the signal's reason */
  async ask<Schema extends z.ZodType>(question: Question, schema: Schema): Promise<z.output<Schema>> {
    const { signal, method, path, data } = question;
    let status: number;
    let text: string;
    try {
      // axios measures silence; a wallet that sends a byte now and then would hold the poll for ever
      const limited = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const type = data === undefined ? {} : { 'Content-Type': 'application/json' };
      const answer = await this.http.request<string>({ url: path, method, data, headers: type, signal: limited });
      ({ status, data: text } = answer);
    } catch (error) {
      signal.throwIfAborted();
      const isTooLong = errorText(error).includes('maxContentLength');
      throw new (isTooLong ? AnswerTooLong : WalletAway)(`${path}: ${errorText(error)}`);
    }
    if (status !== 200) throw new WalletAway(`${path}: status ${status}${HINTS[status] ?? ''}`);
    const read = schema.safeParse(parsed(path, text));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new WalletAway(
      `${path}: unexpected answer at ${issue?.path.join('.') || 'the top'}: ${issue?.message ?? ''}`,
    );
  }
}

const HINTS: Readonly<Record<number, string>> = { 401: ' (the key is wrong)', 403: ' (no wallet is open)' };

function parsed(path: string, text: string): JsonValue {
  try {
    return parseJson(text, MAX_VALUES);
  } catch (error) {
    throw new WalletAway(`${path}: ${errorText(error)}`);
  }
}
