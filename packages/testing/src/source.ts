import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const loader = join(__dirname, '..', '..', '..', 'scripts', 'source-loader.cjs');

/**
 * The arguments with which Node.js runs a TypeScript file of the suite: its compiled file, which loads faster, or the source
 * if there is none (test programs, packages that are not compiled).
 */
export function sourceArguments(file: string): string[] {
  const compiled = file.replace(/(.*[\\/])src(?=[\\/])/, '$1dist').replace(/\.ts$/, '.js');
  return compiled !== file && existsSync(compiled) ? [compiled] : ['-r', loader, file];
}

/** Runs a TypeScript file in a separate process, to its end. */
export function runSource(
  file: string,
  args: readonly string[],
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...sourceArguments(file), ...args], {
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}
