export * from './hash';
export * from './tree';
