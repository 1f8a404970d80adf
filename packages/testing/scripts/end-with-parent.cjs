'use strict';

/*
 * Preloaded into the programs of a devnet: stops the program in order when the process that started it has ended, also by
 * SIGKILL. The channel between the two closes then.
 */

// Processes that this one forks have a channel of their own.
process.execArgv.splice(process.execArgv.indexOf(module.filename) - 1, 2);
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
