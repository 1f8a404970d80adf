export * from './addresses';
export * from './common';
export * from './sends';
export * from './transactions';
export * from './wallet';
