import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from '@wrkz/chain-db';
import { silentLogger } from '@wrkz/service-kit';
import { ChainSource } from '../../src/serve-rpc/chain-source';
import { newSuite } from '../network/daemons';

/*
 * Programs recognise by locks that others have a database open. The system releases those of a process as soon as it closes
 * the file anywhere, so no thread of a reader process may open it beside SQLite.
 */

/** The list of all locks on Linux. */
const LOCKS = '/proc/locks';

const suite = newSuite();
afterAll(() => suite.stopAll());

(existsSync(LOCKS) ? test : test.skip)('a reader process holds its lock while all its threads read', async () => {
  const node = await suite.node();
  await node.stop();
  const directory = join(suite.folder(), 'devnet');
  cpSync(join(node.dataDir, 'devnet'), directory, { recursive: true });
  const inode = `:${String(statSync(databaseFile(directory)).ino)} `;
  const held = (): string[] =>
    readFileSync(LOCKS, 'utf8')
      .split('\n')
      .filter((line) => line.includes(inode));
  const source = ChainSource.open({ directory, network: 'devnet', memory: {}, threads: 2 }, silentLogger());
  try {
    const caller = { client: '127.0.0.1', gone: new AbortController().signal };
    // Each thread has its connection after its first response.
    const request = () => source.run('findTransactions', { hashes: Buffer.alloc(32) }, caller);
    await Promise.all([request(), request(), request(), request()]);
    expect(held().join()).toMatch(/ READ /);
  } finally {
    await source.close();
  }
  expect(held()).toEqual([]);
});
