import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { applicationRefusal } from '../refusals';

/**
 * The place of a file that a request names: within the container's folder, links followed.
 * @throws JsonRpcError 2 for a missing folder, and for a name that leads out of it
 */
export function exportPlace(directory: string, name: string): string {
  const missing = applicationRefusal('noSuchFile');
  if (name === '' || name.includes('\0')) throw missing;
  const path = resolve(directory, name);
  const folder = realPath(dirname(path));
  const own = realPath(directory);
  const isWithin = folder !== undefined && own !== undefined && (folder === own || folder.startsWith(join(own, '/')));
  if (!isWithin || path === directory) throw missing;
  return join(folder, basename(path));
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
