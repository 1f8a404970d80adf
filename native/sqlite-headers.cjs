// Prints the folder of SQLite's headers. The extension in src/sqlite uses SQLite only through the table of functions that it
// gets at run time, so the headers of either version of better-sqlite3 are sufficient.
const { dirname, join } = require('node:path');
const { existsSync } = require('node:fs');

// A prebuild compiles a copy of this folder further down.
let top = dirname(__dirname);
while (!existsSync(join(top, 'packages/sqlite'))) top = dirname(top);
const paths = [join(top, 'packages/sqlite')];
const find = (name) => {
  try {
    return require.resolve(`${name}/package.json`, { paths });
  } catch {
    return undefined;
  }
};
const found = find('better-sqlite3-13') ?? find('better-sqlite3-12');
if (found === undefined) throw new Error('better-sqlite3 is not installed');
process.stdout.write(join(dirname(found), 'deps/sqlite3'));
