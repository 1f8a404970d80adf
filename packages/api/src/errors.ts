/**
 * An error as data: what a service may answer, and when. Its text may hold `{name}` for what is filled in; an empty one
 * means an answer without a body.
 */
export interface ApiError {
  readonly status: number;
  readonly text: string;
  readonly code?: string | number | undefined;
  /** One sentence for the document. */
  readonly when: string;
}

/** The text of an error with its `{name}`s filled in. */
export function errorMessage({ text }: Pick<ApiError, 'text'>, values: Readonly<Record<string, string>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
}

/** True for a text that an error's own text can have become. */
export function isErrorMessage({ text }: Pick<ApiError, 'text'>, message: string): boolean {
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(message);
}
