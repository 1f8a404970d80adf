export * from './blocks';
export * from './envelopes';
export * from './errors';
export * from './mining';
export * from './node';
export * from './sync';
export * from './transactions';
