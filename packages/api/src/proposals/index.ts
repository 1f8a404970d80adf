export * from './errors';
export * from './get-proposals';
export * from './get-qr';
export * from './query';
export * from './record';
