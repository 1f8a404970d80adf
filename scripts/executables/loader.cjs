'use strict';

/*
 * What a single executable runs first: it lays its files in a private folder, once for each version, and goes on there. The
 * folder is looked through at every start, so nobody else's files are ever run.
 */
const { Buffer } = require('node:buffer');
const { createHash, randomBytes } = require('node:crypto');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');
const sea = require('node:sea');

const FOLDER_OPTION = 'WRKZ_EXECUTABLE_DIR';
const manifest = JSON.parse(sea.getAsset('manifest.json', 'utf8'));

class Refused extends Error {}

/** Folders in which the files may lie, the first that can be used is taken. */
function bases() {
  const named = process.env[FOLDER_OPTION];
  if (named !== undefined && named !== '') {
    if (!isAbsolute(named)) throw new Refused(`${FOLDER_OPTION} is no absolute path: ${named}`);
    return [named];
  }
  // systemd names the folder of CacheDirectory=; with several they stand in one list.
  const unit = process.env.CACHE_DIRECTORY?.split(':')[0];
  const own = process.env.XDG_CACHE_HOME;
  return [
    ...(unit ? [unit] : []),
    ...(own && isAbsolute(own) ? [own] : [join(os.homedir(), '.cache')]),
    join(os.tmpdir(), `wrkz-${process.getuid()}`),
  ];
}

/** A folder of this user's that nobody else can write to. @throws Refused */
function privateFolder(path) {
  fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = fs.lstatSync(path);
  if (!fs.lstatSync(path).isDirectory()) throw new Refused(`${path} is no folder`);
  if (uid !== process.getuid()) throw new Refused(`${path} belongs to another user`);
  if ((mode & 0o022) !== 0) throw new Refused(`others may write to ${path}`);
  return path;
}

/** Whether a file is what the executable carries, and only its owner can change it. */
function isSound(path, { sha256, size }) {
  try {
    const facts = fs.lstatSync(path);
    if (!facts.isFile() || facts.size !== size || facts.uid !== process.getuid() || (facts.mode & 0o022) !== 0)
      return false;
    return createHash('sha256').update(fs.readFileSync(path)).digest('hex') === sha256;
  } catch {
    return false;
  }
}

const isWhole = (folder) => manifest.files.every((file) => isSound(join(folder, file.path), file));

function lay(folder) {
  for (const file of manifest.files) {
    const path = join(folder, file.path);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path, Buffer.from(sea.getRawAsset(file.path)), { mode: 0o600, flag: 'wx' });
  }
}

/** @returns the folder with all files of this version */
function unpackIn(base) {
  const home = privateFolder(join(base, 'wrkz-executables'));
  const folder = join(home, `${manifest.program}-${manifest.version}-${manifest.digest.slice(0, 16)}`);
  if (isWhole(folder)) return folder;
  const part = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    fs.mkdirSync(part, { mode: 0o700 });
    lay(part);
    if (fs.existsSync(folder)) {
      // Another start of the same version may have been quicker.
      if (isWhole(folder)) return folder;
      const aside = `${part}.damaged`;
      fs.renameSync(folder, aside);
      process.stderr.write(`${manifest.program}: its unpacked files were changed; they lie in ${aside} now\n`);
    }
    try {
      fs.renameSync(part, folder);
    } catch (error) {
      if (!isWhole(folder)) throw error;
    }
    return folder;
  } finally {
    fs.rmSync(part, { recursive: true, force: true });
  }
}

function unpack() {
  const reasons = [];
  for (const base of bases()) {
    try {
      const folder = unpackIn(base);
      tryModules(folder);
      return folder;
    } catch (error) {
      reasons.push(`${base}: ${error.message}`);
    }
  }
  throw new Refused(
    `its files cannot be unpacked:\n  ${reasons.join('\n  ')}\nName another folder in ${FOLDER_OPTION}`,
  );
}

/** Loads a native module, which a disk that runs no programs refuses. */
function tryModules(folder) {
  const [module] = manifest.files.filter(({ path }) => path.endsWith('.node'));
  if (module !== undefined && !isChild(folder)) process.dlopen({ exports: {} }, join(folder, module.path));
}

/** Started by this very program to run one of its parts. */
function isChild(folder) {
  return manifest.parts.some((part) => process.argv[2] === join(folder, part));
}

try {
  const folder = unpack();
  // A program's arguments come after its own name twice over; a part's after the part.
  if (isChild(folder)) process.argv.splice(1, 1);
  else process.argv[1] = join(folder, manifest.main);
  createRequire(join(folder, 'suite.json'))(process.argv[1]);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.stderr.write(`${manifest.program}: ${error.message}\n`);
  process.exitCode = 1;
}
