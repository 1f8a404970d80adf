import { setFlagsFromString } from 'node:v8';

/** Bytes of bytecode that a function runs before V8 considers to optimize it. The default is 67,584. */
const INTERRUPT_BUDGET_BYTES = 400_000;

/**
 * Restricts the optimizing compiler of V8 to the hottest functions. The heavy work of a wallet is native, and compiling
 * everything else took an eighth of the processor time of a scan.
 */
export function restrictOptimizer(): void {
  setFlagsFromString(`--interrupt-budget=${String(INTERRUPT_BUDGET_BYTES)}`);
}
