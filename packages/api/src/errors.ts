/** A declared error response. `text` may have placeholders like `{name}`; an empty text is an empty body. */
export interface ApiError {
  readonly status: number;
  readonly text: string;
  readonly code?: string | number | undefined;
  /** One sentence for the documentation: the condition. */
  readonly when: string;
}

/** The text of an error with its placeholders replaced. */
export function errorMessage({ text }: Pick<ApiError, 'text'>, values: Readonly<Record<string, string>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
}

/** Whether a message is the text of this error with any placeholder values. */
export function isErrorMessage({ text }: Pick<ApiError, 'text'>, message: string): boolean {
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(message);
}
