import axios, { type AxiosInstance } from 'axios';
import { powServerUrl, type PowServerSettings } from './endpoint';

/** What one request asks the server to hold. */
const POLL_MS = 20_000;
/** A held request may take so much longer than its wait before it counts as lost. */
const GRACE_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const NONCE = /^[0-9a-f]{16}$/;
const JOB_ID = /^[0-9a-f]{32}$/;

/** Why the server gave no nonce. */
export class PowServerFailure extends Error {
  override readonly name = 'PowServerFailure';
}

export interface ServerJob {
  readonly prefix: Buffer;
  readonly height: number | undefined;
  /** Ends everything at the wallet's own time limit or cancel. */
  readonly signal: AbortSignal;
}

/**
 * Has a server search the nonce: submits, then long-polls until the job has ended. When the wallet gives up, the job
 * is cancelled so that nobody hashes for nothing.
 * @throws PowServerFailure with the reason
 */
export async function searchOnServer(settings: PowServerSettings, job: ServerJob): Promise<Buffer> {
  const client = connect(settings, job.signal);
  let id: string | undefined;
  try {
    let answer = await ask(client, 'POST', '/pow', {
      prefix: job.prefix.toString('hex'),
      wait_ms: POLL_MS,
      height: job.height,
    });
    while (answer['status'] === 'pending') {
      id = jobId(answer);
      answer = await ask(client, 'GET', `/pow/${id}?wait_ms=${POLL_MS}`);
    }
    return nonceOf(answer);
  } catch (error) {
    if (job.signal.aborted && id !== undefined) cancel(settings, id);
    throw error instanceof PowServerFailure ? error : new PowServerFailure(describe(error, job.signal));
  }
}

type Answer = Record<string, unknown>;

function connect(settings: PowServerSettings, signal?: AbortSignal): AxiosInstance {
  return axios.create({
    baseURL: powServerUrl(settings),
    timeout: POLL_MS + GRACE_MS,
    maxRedirects: 0,
    maxContentLength: MAX_ANSWER_BYTES,
    proxy: false,
    validateStatus: () => true,
    headers: settings.apiKey === undefined ? {} : { 'X-API-KEY': settings.apiKey },
    ...(signal === undefined ? {} : { signal }),
  });
}

async function ask(client: AxiosInstance, method: 'GET' | 'POST', url: string, data?: object): Promise<Answer> {
  const { status, data: answer } = await client.request<unknown>({ method, url, data });
  const fields: Answer = answer !== null && typeof answer === 'object' ? (answer as Answer) : {};
  if (status !== 200) throw new PowServerFailure(`refused (${status}): ${textOf(fields['error'])}`);
  return fields;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : 'no reason given';
}

function jobId(answer: Answer): string {
  const id = answer['job_id'];
  if (typeof id !== 'string' || !JOB_ID.test(id)) throw new PowServerFailure('answered without a job id');
  return id;
}

function nonceOf(answer: Answer): Buffer {
  if (answer['status'] !== 'done') throw new PowServerFailure(`ended as ${textOf(answer['status'])}`);
  const nonce = answer['nonce'];
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) throw new PowServerFailure('answered without a nonce');
  return Buffer.from(nonce, 'hex');
}

/** Best effort: the wallet has its answer elsewhere by now. */
function cancel(settings: PowServerSettings, id: string): void {
  connect(settings)
    .delete(`/pow/${id}`, { timeout: GRACE_MS })
    .catch(() => undefined);
}

function describe(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'gave no answer in time';
  return error instanceof Error ? error.message : String(error);
}
