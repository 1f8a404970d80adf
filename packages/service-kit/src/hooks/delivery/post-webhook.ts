import * as http from 'node:http';
import * as https from 'node:https';
import { errorText } from '../../error-text';
import { webhookHeaders } from '../signature';
import type { DeliveryOutcome } from './protocol';

export interface WebhookPost {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  readonly key?: string | undefined;
}

/** An answer's body is of no interest; up to here it is read, so that the connection can serve again. */
const BODY_LIMIT = 64 * 1024;
/** And for so long. */
const BODY_MS = 1_000;

const AGENT_OPTIONS = { keepAlive: true, keepAliveMsecs: 1_000 };
const agents = { 'http:': new http.Agent(AGENT_OPTIONS), 'https:': new https.Agent(AGENT_OPTIONS) };

/** POSTs an event. Redirects are not followed; what fails on the way is tried once more, a status is final. */
export async function postWebhook(post: WebhookPost, signal: AbortSignal): Promise<DeliveryOutcome> {
  const { origin } = new URL(post.url);
  let why = '';
  for (let attempt = 0; attempt < 2 && !signal.aborted; attempt++) {
    try {
      const status = await statusOf(post, signal);
      if (status >= 200 && status < 300) return { kind: 'delivered' };
      return { kind: 'refused', why: `webhook ${origin} answered HTTP ${String(status)}` };
    } catch (error) {
      why = errorText(error);
    }
  }
  return signal.aborted ? { kind: 'cancelled' } : { kind: 'unreachable', why: `webhook ${origin} failed: ${why}` };
}

function statusOf({ url: text, id, body, key }: WebhookPost, signal: AbortSignal): Promise<number> {
  const url = new URL(text);
  const secure = url.protocol === 'https:';
  const timestamp = Math.floor(Date.now() / 1000);
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(url, {
      method: 'POST',
      agent: secure ? agents['https:'] : agents['http:'],
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        ...webhookHeaders({ id, timestamp, body }, key),
      },
      signal,
    });
    let answered = false;
    request.once('error', reject);
    // Some ends are told by nothing else, and what never settles would hold up all that come later.
    request.once('close', () => {
      if (!answered) reject(new Error('the connection was closed without an answer'));
    });
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.once('response', (response) => {
      answered = true;
      const done = (): void => resolve(response.statusCode ?? 0);
      response.once('error', done);
      response.once('close', done);
      skipBody(response);
    });
    request.end(body);
  });
}

/** Reads the rest of an answer, or ends the connection when it is long or slow. */
function skipBody(response: http.IncomingMessage): void {
  let length = 0;
  const cut = setTimeout(() => response.destroy(), BODY_MS);
  response.once('close', () => clearTimeout(cut));
  response.on('data', (part: Buffer) => {
    length += part.length;
    if (length > BODY_LIMIT) response.destroy();
  });
}
