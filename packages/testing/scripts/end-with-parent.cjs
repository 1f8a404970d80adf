'use strict';

/*
 * Preloaded into the programs of a devnet: stops the program in order when its parent process has ended, also after
 * SIGKILL, because the channel between the two closes then.
 */

// Child processes of this one have a separate channel.
process.execArgv.splice(process.execArgv.indexOf(module.filename) - 1, 2);
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
