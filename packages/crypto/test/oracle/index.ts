// The oracle: everything of the native module but the proofs of work, a second time, in plain TypeScript on the field
// and point arithmetic of @noble. Slow and variable-time; for tests only.
export * from './hash';
export * from './keys';
export * from './signatures';
