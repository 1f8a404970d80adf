import { plainText } from '@wrkz/service-kit/base';

/**
 * Why there is no usable response:
 * - `unreachable`: no connection, or it broke
 * - `timeout`: it did not connect, went silent, or took too long in all
 * - `rateLimited`: 429
 * - `refused`: another status of the 4xx, or a `status` field other than OK
 * - `failed`: a status of the 5xx, or a redirection
 * - `malformed`: a response that is not what the route responses
 * - `tooLarge`: a response above the bound of its route, unpacked
 * - `foreignChain`: another genesis block
 */
export type NodeFailureKind =
  'unreachable' | 'timeout' | 'rateLimited' | 'refused' | 'failed' | 'malformed' | 'tooLarge' | 'foreignChain';

export interface NodeFailureFacts {
  /** No connection came about, so nothing was sent. */
  readonly isUnsent?: boolean;
  /** HTTP status, where there was a response. */
  readonly status?: number;
  /** The response had no body. */
  readonly isEmpty?: boolean;
  /** The wallet error code that some routes response. */
  readonly errorCode?: number;
  /** What the node said of it, cut and made safe to show. */
  readonly text?: string;
}

/** Each call of a client fails with this and with nothing else, its caller's own abort aside. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure';

  constructor(
    readonly kind: NodeFailureKind,
    message: string,
    readonly facts: NodeFailureFacts = {},
  ) {
    super(message);
  }

  /** Whether the cause is the node, and not the request. */
  get isUnhealthy(): boolean {
    return this.kind !== 'rateLimited' && this.kind !== 'refused';
  }
}

const LONGEST_TEXT = 300;

/** A stranger's text, short and on one line. */
export function sanitizedText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return plainText(value.slice(0, LONGEST_TEXT));
}
