export * from './hash';
export * from './tree';
export * from './keys';
export * from './payment-id';
export * from './rings';
export * from './signatures';
