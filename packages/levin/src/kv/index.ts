export { kv } from './build';
export { decodeKv, defaultKvLimits, type KvLimits, type KvMeter } from './decode';
export { encodeKv } from './encode';
export type { KvItemType, KvSection, KvType, KvValue } from './model';
export * from './read';
export type { KvField, KvShape } from './shape';
