export * from './errors';
export { ChainDb, databaseFile, openChainDb, type OpenOptions } from './open';
export type { AltInfo, AlternativeBlock } from './reader/alternatives';
export type { StoredOutput } from './reader/outputs';
export { ChainReader, type RandomOutput, type StoredTransaction } from './reader/reader';
export type { GlobalIndexes } from './reader/transactions';
export { SCHEMA_VERSION } from './schema';
export { ChainWriter } from './writer/writer';
export type { RemovedBlock } from './writer/rewind';
