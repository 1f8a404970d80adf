export * from './chain-commands';
export * from './ids';
export * from './messages';
export * from './node-commands';
