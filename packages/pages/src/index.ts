export * from './assets';
export * from './format';
export * from './headers';
export * from './html';
export * from './shell';
