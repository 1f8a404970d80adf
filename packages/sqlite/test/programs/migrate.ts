/** `migrate.ts <file>`: opens the journal, which brings it up to date, and prints what each batch has done. */
import { openDatabase } from '../../src';
import { journal } from '../support/journal';

const [file = ''] = process.argv.slice(2);
const database = openDatabase(
  journal(file, { onProgress: ({ version, done, total }) => process.stdout.write(`${version} ${done}/${total}\n`) }),
);
console.log('up to date');
database.close();
