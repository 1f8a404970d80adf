import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { errorText } from '../error-text';

/** Shorter secrets could be guessed. */
const SHORTEST_SECRET = 16;
const STANDARD_PREFIX = 'whsec_';

/**
 * Reads the secret that webhooks are signed with: `whsec_` and base64, as the libraries of Standard Webhooks write it, or
 * any other text, whose bytes are the secret. A line end behind it does not count.
 * @throws Error with a message for the operator
 */
export function readHookSecret(path: string): HookSecret {
  try {
    const text = readFileSync(path, 'utf8').trim();
    const key = text.startsWith(STANDARD_PREFIX)
      ? Buffer.from(text.slice(STANDARD_PREFIX.length), 'base64')
      : Buffer.from(text, 'utf8');
    if (key.length < SHORTEST_SECRET) throw new Error(`at least ${String(SHORTEST_SECRET)} bytes are expected`);
    return { key: key.toString('base64'), text, shared: (statSync(path).mode & 0o077) !== 0 };
  } catch (error) {
    throw new Error(`the notification secret ${path} cannot be used: ${errorText(error)}`, { cause: error });
  }
}

export interface HookSecret {
  /** The bytes that sign, in base64. */
  readonly key: string;
  /** As it stands in the file, to be hidden from logs. */
  readonly text: string;
  /** Others than the owner may read the file. */
  readonly shared: boolean;
}

/** One POST: which it is, when it is sent, what it says. */
export interface SignedContent {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a webhook. The id is the same for every attempt at one event, whoever makes it. */
export function webhookHeaders(content: SignedContent, key: string | undefined): Record<string, string> {
  const headers = { 'webhook-id': content.id };
  if (key === undefined) return headers;
  return {
    ...headers,
    'webhook-timestamp': String(content.timestamp),
    'webhook-signature': `v1,${signatureOf(content, key)}`,
  };
}

/** HMAC-SHA256 over `id.timestamp.body`, in base64, as Standard Webhooks define it. */
function signatureOf({ id, timestamp, body }: SignedContent, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${id}.${String(timestamp)}.${body}`)
    .digest('base64');
}
