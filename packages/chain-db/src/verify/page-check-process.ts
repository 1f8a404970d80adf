import { SqliteConnection } from '@wrkz/sqlite';
import { checkPages } from './page-check';

/** `page-check-process <file> <table> ...`: prints the report of {@link checkPages} as JSON. */
const [file = '', ...tables] = process.argv.slice(2);
const connection = new SqliteConnection(file, { readonly: true });
process.stdout.write(JSON.stringify(checkPages(connection, tables)));
connection.close();
