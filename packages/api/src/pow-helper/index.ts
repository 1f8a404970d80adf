export * from './delete-pow';
export * from './errors';
export * from './get-health';
export * from './get-root';
export * from './get-stats';
export * from './job';
export * from './post-pow';
