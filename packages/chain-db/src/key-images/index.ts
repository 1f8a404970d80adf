export { KeyImageQueries } from './queries';
export { KEY_IMAGE_SCHEMA, KEY_IMAGE_TABLES } from './schema';
export { KeyImageStore } from './store';
