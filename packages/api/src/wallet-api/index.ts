export * from './addresses';
export * from './balances';
export * from './common';
export * from './sends';
export * from './status';
export * from './transactions';
export * from './wallet';
