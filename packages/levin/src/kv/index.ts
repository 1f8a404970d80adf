export { kv } from './build';
export { decodeKv, defaultKvLimits, type KvLimits } from './decode';
export { encodeKv } from './encode';
export type { KvItemType, KvSection, KvType, KvValue } from './model';
export * from './read';
