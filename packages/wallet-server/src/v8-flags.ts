import { setFlagsFromString } from 'node:v8';

/*
 * Flags of V8 for a wallet, whose heavy work is native. Main files import this before all other modules, because loading
 * them makes the space of young objects grow.
 */

/**
 * How much a function runs before V8 optimizes it, some six times the defaults: compiling other than the hottest functions
 * took an eighth of the processor time of a scan. Node.js 20 counts bytes of bytecode, later versions count invocations. V8
 * writes an error to stderr for a flag that it does not know.
 */
const OPTIMIZER =
  Number.parseInt(process.versions.node, 10) < 22
    ? '--interrupt-budget=400000'
    : '--invocation-count-for-turbofan=20000 --invocation-count-for-maglev=2500';

/** The space of young objects, which a scan fills with garbage, does not grow: it took up to 64 MiB and saved no time. */
const YOUNG_OBJECTS = '--semi-space-growth-factor=1';

setFlagsFromString(`${OPTIMIZER} ${YOUNG_OBJECTS}`);
