export * from './assets';
export * from './format';
export * from './shell';
export * from './html';
