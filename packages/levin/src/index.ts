export * from './body-error';
export * from './commands';
export * from './frames';
export * from './kv';
export * from './peer-entries';
