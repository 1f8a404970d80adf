/** A declared error response. `text` may have placeholders like `{name}`; an empty text is an empty body. */
export interface ApiError {
  readonly status: number;
  readonly text: string;
  readonly code?: string | number | undefined;
  /** One sentence for the documentation: the condition. */
  readonly when: string;
}

/** Errors of several services. */
export const sharedErrors = {
  rateLimited: {
    status: 429,
    text: 'too many requests from this address, retry later',
    when: 'The client address exceeded --rate-limit in this minute. Retry-After has the seconds until the next minute.',
  },
  encodedBody: {
    status: 415,
    text: 'Encoded request bodies are not accepted',
    when: 'The body has a content encoding.',
  },
} as const satisfies Record<string, ApiError>;

/** The text of an error with its placeholders replaced. */
export function errorMessage({ text }: Pick<ApiError, 'text'>, values: Readonly<Record<string, string>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
}

/** Whether a message has the text of this error, with any values of its placeholders. */
export function isErrorMessage({ text }: Pick<ApiError, 'text'>, message: string): boolean {
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(message);
}
