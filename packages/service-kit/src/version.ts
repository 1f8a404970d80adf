/** The version of every program of the suite, `<major>.<minor>.<revision>.<build>`. Defined only here. */
export const VERSION = '1.0.0.1';

/** The line `--version` prints for a program, e.g. `wrkz-daemon 1.0.0.1`. */
export function versionLine(program: string): string {
  return `${program} ${VERSION}`;
}
