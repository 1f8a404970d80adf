export * from './chain-a';
export * from './fixtures';
export * from './forge';
export * from './purse';
