'use strict';

/**
 * Says for which Node.js each of the two SQLite libraries is, so that only one of them is installed: pnpm leaves out an
 * optional dependency whose engines do not fit. better-sqlite3 13 asks for Node-API 10, which Node.js has since 22.14 and
 * 23.6, and brings its binaries along; 12 is compiled. `packages/sqlite/src/library.ts` makes the same choice at run time.
 */
const SQLITE_ENGINES = {
  12: '>=20 <22.14 || >=23 <23.6',
  13: '>=22.14 <23 || >=23.6',
};

function readPackage(manifest) {
  const major = manifest.version?.split('.')[0];
  if (manifest.name === 'better-sqlite3' && major in SQLITE_ENGINES) {
    return { ...manifest, engines: { node: SQLITE_ENGINES[major] } };
  }
  return manifest;
}

module.exports = { hooks: { readPackage } };
