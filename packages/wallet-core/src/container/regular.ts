import { statSync } from 'node:fs';

/** Whether something stands there, links followed, that is no regular file: to open a pipe would wait for its other end. */
export function isSomethingElse(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}
