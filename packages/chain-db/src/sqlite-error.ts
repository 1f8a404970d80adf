/**
 * The code of an error that SQLite raised, like SQLITE_FULL; undefined for any other error. Told by the code, because the
 * library's error class is not the same object in every copy of its module that a process may hold.
 */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}
