import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pnpmVersion, top } from './workspace.mjs';

/** The list of what an earlier copy brought, so that what has gone since can go there too. */
const LIST = '.copied.json';

/** Every file of the workspace that git keeps or would keep, named from the top. */
export function workspaceFiles() {
  const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', options, { cwd: top, encoding: 'utf8', maxBuffer: 1 << 28 }).split('\0');
  return names.filter(
    (name) => name !== '' && existsSync(join(top, name)) && !lstatSync(join(top, name)).isDirectory(),
  );
}

/**
 * Brings `target` to the state of the workspace's files (those that `wanted` takes); what was built there stays. Times are
 * kept, so that a build there starts anew only for what has changed.
 */
export function copyWorkspace(target, wanted = () => true) {
  mkdirSync(target, { recursive: true });
  const names = workspaceFiles().filter(wanted);
  for (const name of names) copyFile(join(top, name), join(target, name));
  const kept = new Set(names);
  for (const name of earlier(target)) if (!kept.has(name)) rmSync(join(target, name), { force: true });
  writeFileSync(join(target, LIST), JSON.stringify(names));
  sharePnpm(target);
}

function copyFile(from, to) {
  const source = statSync(from);
  const present = statSync(to, { throwIfNoEntry: false });
  if (present && present.size === source.size && Math.abs(present.mtimeMs - source.mtimeMs) < 2) return;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  utimesSync(to, source.atime, source.mtime);
}

function earlier(target) {
  try {
    return JSON.parse(readFileSync(join(target, LIST), 'utf8'));
  } catch {
    return [];
  }
}

/** The copy uses the package manager that was fetched here. */
function sharePnpm(target) {
  const folder = `pnpm-${pnpmVersion}`;
  const link = join(target, '.bootstrap', folder);
  mkdirSync(dirname(link), { recursive: true });
  if (!existsSync(link)) symlinkSync(join(top, '.bootstrap', folder), link);
}
