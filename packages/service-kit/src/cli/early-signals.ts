/*
 * The first import of every main file. While a program's modules load, nobody else listens for signals, and one that came
 * then would end the process by itself, with the code of a crash. With a listener it waits until the modules are loaded,
 * and `runMain`, which has its own by then, stops or reloads in order.
 */

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
