/** An error that SQLite raised; `code` is like SQLITE_FULL. */
export interface SqliteFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * The error as one of SQLite's, undefined for any other. Recognized by its shape: where a process holds several copies of
 * the library's module, the classes of its errors are not one.
 */
export function sqliteFailure(error: unknown): SqliteFailure | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return undefined;
  const { code, message } = error;
  if (typeof code !== 'string' || typeof message !== 'string' || !code.startsWith('SQLITE_')) return undefined;
  return { code, message };
}

/** What an error says, in one line and without its class. */
export function failureText(error: unknown): string {
  if (error instanceof Error) return error.message;
  return sqliteFailure(error)?.message ?? String(error);
}
