export * from './pow-helper';
