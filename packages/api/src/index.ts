export * from './errors';
export * from './scalars';
export * as daemonApi from './daemon';
