import { runMain } from './lifecycle';
import { EarlyExit } from './options/spec';
import { versionLine } from './version';

/**
 * The main function of a program that is not built yet: it says so and ends with code 1; `--version` works.
 * @param name of the executable
 * @param what it will be, e.g. `the proposal listing`
 */
export function runUnbuilt(name: string, what: string): void {
  runMain(() => {
    const asked = process.argv.slice(2);
    if (asked.includes('--version') || asked.includes('-v')) throw new EarlyExit(versionLine(name), 0);
    throw new EarlyExit(`${name}: ${what} is not built yet`, 1);
  });
}
