import { plainText } from '@wrkz/service-kit/base';

/**
 * Kinds of failed requests:
 * - `unreachable`: the connection could not be established or broke
 * - `timeout`: a timeout of the connection, of silence or of the whole response
 * - `rateLimited`: HTTP status 429
 * - `refused`: another status 4xx
 * - `failed`: a status 5xx, a redirection, or a `status` field other than OK
 * - `malformed`: a response that does not match the schema of the route
 * - `tooLarge`: a decompressed response larger than the limit of the route
 * - `foreignChain`: a chain of another network
 */
export type NodeFailureKind =
  'unreachable' | 'timeout' | 'rateLimited' | 'refused' | 'failed' | 'malformed' | 'tooLarge' | 'foreignChain';

export interface NodeFailureFacts {
  /** No connection was established, so nothing was sent. */
  readonly isUnsent?: boolean;
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** The response had no body. */
  readonly isEmpty?: boolean;
  /** Wallet error code, which some routes return. */
  readonly errorCode?: number;
  /** Error text of the node, truncated and sanitized. */
  readonly text?: string;
}

/** The only error of client calls, apart from the reason of the caller's abort signal. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure';

  constructor(
    readonly kind: NodeFailureKind,
    message: string,
    readonly facts: NodeFailureFacts = {},
  ) {
    super(message);
  }

  /** Whether the node is at fault, not the request. */
  get isUnhealthy(): boolean {
    return this.kind !== 'rateLimited' && this.kind !== 'refused';
  }
}

const LONGEST_TEXT = 300;

/** An untrusted text, truncated and on one line. */
export function sanitizedText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return plainText(value.slice(0, LONGEST_TEXT));
}
