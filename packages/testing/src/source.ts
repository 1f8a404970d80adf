import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const loader = join(__dirname, '..', '..', '..', 'scripts', 'source-loader.cjs');

/** The arguments with which Node.js runs a TypeScript file of the suite without a build. */
export function sourceArguments(file: string): string[] {
  return ['-r', loader, file];
}

/** Runs a TypeScript file in a process of its own, to its end. */
export function runSource(
  file: string,
  args: readonly string[],
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...sourceArguments(file), ...args], {
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}
