/* eslint-disable-next-line @typescript-eslint/triple-slash-reference -- found by every program that reads this source */
/// <reference path="./node-gyp-build.d.ts" />
import { dirname } from 'node:path';
import load from 'node-gyp-build';

let addon: unknown;

/**
 * The native addon, loaded once. `T` declares the functions that the caller uses.
 * @throws Error if the addon was neither built nor prebuilt for this platform
 */
export function binding<T>(): T {
  addon ??= load(dirname(require.resolve('@wrkz/native/package.json')));
  return addon as T;
}
