'use strict';

/**
 * Sets the `engines` of the two versions of better-sqlite3, so that only one is installed: pnpm skips an optional dependency
 * whose `engines` do not match. Version 13 requires Node-API 10 (Node.js 22.14, 23.6 and newer) and includes its binaries;
 * version 12 is compiled. `packages/sqlite/src/library.ts` makes the same choice at run time.
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
