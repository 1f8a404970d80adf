/**
 * What needs no server: errors, files, threads, JSON, addresses of local sockets. Threads and the packages below the services take it from here, since
 * everything else brings express, yargs, winston and the figures along: a quarter of a second of processor time in every thread.
 */
export * from './version';
export * from './addresses';
export * from './async';
export * from './bounded-map';
export * from './error-text';
export * from './files';
export * from './group-by';
export * from './assets';
export * from './threads';
export { plainText } from './log/format';
export * from './http/json';
export * from './http/errors';
export * from './http/local-socket/path';
