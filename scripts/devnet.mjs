/** `npm run devnet [-- options]`: brings the workspace up to date and runs a network of every service on this machine. */
import { startProgram } from './lib/start-program.mjs';

await startProgram('packages/testing/dist/devnet/main.js');
