export { kv } from './build';
export { decodeKv, defaultKvLimits, type KvField, type KvLimits, type KvMeter, type KvShape } from './decode';
export { encodeKv } from './encode';
export type { KvItemType, KvSection, KvType, KvValue } from './model';
export * from './read';
