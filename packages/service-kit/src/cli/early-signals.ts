/*
 * The first import of every main file. While the modules of a program load, there is no signal handler, and a signal would end
 * the process with the exit code of a crash. With this listener the signal is delivered after the modules are loaded, when
 * `runMain` has installed its handlers.
 */

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
