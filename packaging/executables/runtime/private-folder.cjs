'use strict';

const { createHash, randomBytes } = require('node:crypto');
const { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Bits of a mode. */
const [OWNER_READ, OTHERS_WRITE, OTHERS_ANY, STICKY] = [0o400, 0o022, 0o077, 0o1000];

/**
 * Writes a file that only this user and root can change, and returns its path. An existing file with these bytes is used;
 * any other file, or a link, is replaced.
 * @param {string} folder created with mode 0700
 * @throws Error if another user could change the folder; Error of the system
 */
exports.placeFile = (folder, name, bytes) => {
  const own = privateFolder(folder);
  const path = join(own, `${name}-${createHash('sha256').update(bytes).digest('hex')}.node`);
  if (!holds(path, bytes)) write(own, path, bytes);
  return path;
};

function privateFolder(folder) {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  // Resolves links above the folder once, so that the checked path is the used path.
  const own = join(realpathSync(dirname(folder)), folder.split('/').filter(Boolean).at(-1));
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const stat = lstatSync(own);
  if (!stat.isDirectory()) throw new Error('it is no folder');
  if (stat.uid !== process.geteuid()) throw new Error('it belongs to another user');
  if ((stat.mode & OTHERS_ANY) !== 0) throw new Error('other users may reach into it (chmod 700)');
  for (let above = dirname(own); ; above = dirname(above)) {
    assertProtected(above);
    if (dirname(above) === above) return own;
  }
}

/** @throws Error if another user could replace an entry of this folder */
function assertProtected(folder) {
  const { uid, mode } = lstatSync(folder);
  if (uid !== 0 && uid !== process.geteuid()) throw new Error(`${folder} belongs to another user`);
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) throw new Error(`other users may write to ${folder}`);
}

/** Whether a readable file has these bytes. No other user can change files of the private folder before they are used. */
function holds(path, bytes) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.uid !== process.geteuid() || (stat.mode & OTHERS_WRITE) !== 0) return false;
  if ((stat.mode & OWNER_READ) === 0) return false;
  return stat.size === bytes.length && readFileSync(path).equals(bytes);
}

/** Writes a temporary file and renames it: another process may write the same file. */
function write(folder, path, bytes) {
  const temporary = join(folder, `.${randomBytes(12).toString('hex')}`);
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', mode: 0o500, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
