export * from './errors';
export * from './messages';
