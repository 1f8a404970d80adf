// The oracle: a second implementation of the native module, except for the proofs of work, in plain TypeScript with the
// field and point arithmetic of @noble. Slow and variable-time; for tests only.
export * from './hash';
export * from './keys';
export * from './signatures';
