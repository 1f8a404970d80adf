import { setFlagsFromString } from 'node:v8';

/**
 * How much a function runs before V8 optimizes it, some six times the defaults. Node.js 20 counts bytes of bytecode, later
 * versions count invocations. V8 writes an error to stderr for a flag that it does not know.
 */
const V8_FLAGS =
  Number.parseInt(process.versions.node, 10) < 22
    ? '--interrupt-budget=400000'
    : '--invocation-count-for-turbofan=20000 --invocation-count-for-maglev=2500';

/**
 * Restricts the optimizing compilers of V8 to the hottest functions. The heavy work of a wallet is native, and compiling
 * everything else took an eighth of the processor time of a scan.
 */
export function restrictOptimizer(): void {
  setFlagsFromString(V8_FLAGS);
}
