export * from './listen';
export * from './options';
