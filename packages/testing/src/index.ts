export * from './chain-a';
export * from './fixtures';
