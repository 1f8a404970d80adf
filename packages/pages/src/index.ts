export * from './assets';
export * from './format';
export * from './headers';
export * from './html';
export { REFERENCE_HEADERS, REFERENCE_RENDERER, referencePage } from './reference';
export * from './shell';
