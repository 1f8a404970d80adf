'use strict';

/**
 * The native modules of a single executable. The system loads native modules only from files. Each is written to a private
 * folder under its SHA-256, and compared with the embedded one before every use.
 */
const { Buffer } = require('node:buffer');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { join } = require('node:path');
const { getAsset } = require('node:sea');
const { placeFile } = require('./private-folder.cjs');

const loaded = new Map();

/** The module embedded as `native/<name>`. @throws Error with a reason for each unusable folder */
exports.native = (name) => embedded(name).module;

/** The file of the module. */
exports.nativeFile = (name) => embedded(name).file;

function embedded(name) {
  if (!loaded.has(name)) loaded.set(name, load(name, Buffer.from(getAsset(`native/${name}`))));
  return loaded.get(name);
}

function load(name, bytes) {
  const require = createRequire(process.execPath);
  const reasons = [];
  for (const folder of folders(process.env)) {
    try {
      const file = placeFile(folder, name, bytes);
      return { module: require(file), file };
    } catch (error) {
      reasons.push(`  ${folder}: ${explained(error)}`);
    }
  }
  throw new Error(
    `the native module ${name} cannot be put in any of these folders and loaded from there:\n${reasons.join('\n')}\n` +
      'Name a folder of this user on a disk with room and without noexec in the environment variable WRKZ_NATIVE_DIR.',
  );
}

/** Candidate folders, in order of preference. WRKZ_NATIVE_DIR excludes the others. */
function folders({ WRKZ_NATIVE_DIR, CACHE_DIRECTORY, XDG_CACHE_HOME }) {
  if (WRKZ_NATIVE_DIR) return [WRKZ_NATIVE_DIR];
  const own = `wrkz-native-${process.geteuid()}`;
  return [
    // systemd's CacheDirectory=
    ...(CACHE_DIRECTORY ? [join(CACHE_DIRECTORY.split(':')[0], 'native')] : []),
    ...(XDG_CACHE_HOME?.startsWith('/') ? [join(XDG_CACHE_HOME, own)] : []),
    ...home(own),
    join(tmpdir(), own),
  ];
}

function home(own) {
  try {
    const folder = homedir();
    return folder.startsWith('/') && folder !== '/' ? [join(folder, '.cache', own)] : [];
  } catch {
    return []; // no entry for this user in /etc/passwd
  }
}

function explained({ code, message }) {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full';
  if (code === 'EROFS') return 'the disk can only be read';
  if (/failed to map segment|Operation not permitted/.test(message)) return 'the disk is mounted noexec';
  return message;
}
