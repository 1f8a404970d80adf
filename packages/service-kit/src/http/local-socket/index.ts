export * from './listen';
export * from './options';
export * from './path';
