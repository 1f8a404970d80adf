/**
 * `write.ts <file>`: adds an entry and its author in each commit, in an endless loop, and prints the number of commits.
 * Runs until it is killed.
 */
import { openDatabase } from '../../src';
import { journal } from '../support/journal';

const [file = ''] = process.argv.slice(2);
const { connection } = openDatabase(journal(file));
const entry = connection.prepare('INSERT INTO entries (text) VALUES (?)');
const author = connection.prepare('INSERT INTO authors (name) VALUES (?)');
const add = connection.transaction((name: string) => {
  entry.run(name.repeat(100));
  author.run(name);
});
const count = connection.prepare<[], [number]>('SELECT count(*) FROM entries').raw(true).get()?.[0] ?? 0;
const stopAt = process.argv[3] === undefined ? Infinity : Number(process.argv[3]);
for (let i = count + 1; i <= stopAt; i++) {
  add.immediate(`author ${i}`);
  process.stdout.write(`${i}\n`);
}
