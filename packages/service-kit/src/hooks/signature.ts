import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { errorText } from '../error-text';

const MIN_SECRET_BYTES = 16;
const STANDARD_PREFIX = 'whsec_';

/**
 * Reads the secret of webhook signatures: `whsec_` and base64, the format of Standard Webhooks, or any other text, whose bytes
 * are the secret. Surrounding whitespace is ignored.
 * @throws Error with a message for the operator
 */
export function readHookSecret(path: string): HookSecret {
  try {
    const text = readFileSync(path, 'utf8').trim();
    const key = text.startsWith(STANDARD_PREFIX)
      ? Buffer.from(text.slice(STANDARD_PREFIX.length), 'base64')
      : Buffer.from(text, 'utf8');
    if (key.length < MIN_SECRET_BYTES) throw new Error(`at least ${String(MIN_SECRET_BYTES)} bytes are expected`);
    return { key: key.toString('base64'), text, shared: (statSync(path).mode & 0o077) !== 0 };
  } catch (error) {
    throw new Error(`the notification secret ${path} cannot be used: ${errorText(error)}`, { cause: error });
  }
}

export interface HookSecret {
  /** The key, base64. */
  readonly key: string;
  /** Text of the file, to be hidden in logs. */
  readonly text: string;
  /** Whether others than the owner may read the file. */
  readonly shared: boolean;
}

/** The signed parts of a POST. */
export interface SignedContent {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a webhook. The id is the same for all attempts of one event. */
export function webhookHeaders(content: SignedContent, key: string | undefined): Record<string, string> {
  const headers = { 'webhook-id': content.id };
  if (key === undefined) return headers;
  return {
    ...headers,
    'webhook-timestamp': String(content.timestamp),
    'webhook-signature': `v1,${signatureOf(content, key)}`,
  };
}

/** HMAC-SHA256 of `id.timestamp.body`, base64 (Standard Webhooks). */
function signatureOf({ id, timestamp, body }: SignedContent, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${id}.${String(timestamp)}.${body}`)
    .digest('base64');
}
