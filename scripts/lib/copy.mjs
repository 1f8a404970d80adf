import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './run.mjs';
import { pnpmVersion, top } from './workspace.mjs';

/** The files of the workspace that git tracks or would add, named from the top. */
export function workspaceFiles() {
  const names = command('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: top }).split(
    '\0',
  );
  return names.filter((name) => statSync(join(top, name), { throwIfNoEntry: false })?.isFile());
}

/**
 * Copies the files of the workspace that `accept` accepts to `target`, with their times, and removes files of an earlier copy
 * that no longer exist. Build output in `target` stays valid. The copy shares the pinned pnpm.
 */
export function copyWorkspace(target, accept = () => true) {
  mkdirSync(join(target, '.bootstrap'), { recursive: true });
  const list = join(target, '.copied.json');
  const names = new Set(workspaceFiles().filter(accept));
  const earlier = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const name of earlier) if (!names.has(name)) rmSync(join(target, name), { force: true });
  writeFileSync(list, JSON.stringify([...names]));
  for (const name of names) cpSync(join(top, name), join(target, name), { preserveTimestamps: true });
  const pnpm = `.bootstrap/pnpm-${pnpmVersion}`;
  if (!existsSync(join(target, pnpm))) symlinkSync(join(top, pnpm), join(target, pnpm));
}
