/** `npm start [-- options]`: brings the workspace up to date and runs the daemon. */
import { startProgram } from './lib/start-program.mjs';

await startProgram('apps/daemon/dist/main.js');
