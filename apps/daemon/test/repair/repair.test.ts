import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, openChainDb, verifyChain } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { SqliteConnection } from '@wrkz/sqlite';
import { nodeArguments } from '@wrkz/testing';
import { Daemon, readConfig } from '../../src';
import { networkDirectory } from '../../src/config/config';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';
import { temporaryDirectory } from '../support/temporary';

exercises('repair');

const suite = newSuite();
let sound: string;
beforeAll(async () => {
  sound = await suite.chainA();
});
afterAll(() => suite.stopAll());

const folderOf = (dataDir: string): string => networkDirectory(dataDir, networkOf('devnet'));

/** A data folder with chain A in which one byte of a transaction's signature is changed. */
function damagedCopy(): { dataDir: string; file: string } {
  const dataDir = join(temporaryDirectory(), 'data');
  cpSync(sound, dataDir, { recursive: true });
  const file = databaseFile(folderOf(dataDir));
  const db = openChainDb({ directory: folderOf(dataDir), network: 'devnet', readonly: true });
  const raw = [...Array(db.reader.height() + 1).keys()]
    .map((height) => db.reader.rawBlock(height))
    .find((one) => (one?.transactions.length ?? 0) > 0);
  db.close();
  const tail = raw?.transactions[0]?.subarray(-40) ?? Buffer.alloc(0);
  const content = readFileSync(file);
  const at = content.indexOf(tail);
  expect(at).toBeGreaterThan(0);
  content.writeUInt8(content.readUInt8(at + 7) ^ 16, at + 7);
  writeFileSync(file, content);
  return { dataDir, file };
}

async function run(
  dataDir: string,
  peers: readonly number[],
): Promise<{ code: number; lines: string; printed: string }> {
  const logger: MemoryLogger = createMemoryLogger('info');
  let printed = '';
  const stream = { write: (text: string) => (printed += text) } as unknown as NodeJS.WriteStream;
  const config = readConfig([...nodeArguments('devnet', dataDir, peers), '--repair']);
  const daemon = Daemon.create(config, { logger, stream });
  await daemon.start();
  const code = (await daemon.finished) ?? -1;
  await daemon.stop();
  return { code, lines: logger.entries.map(({ message }) => message).join('\n'), printed };
}

const digest = async (dataDir: string): Promise<string | undefined> =>
  (await verifyChain({ directory: folderOf(dataDir), network: 'devnet' })).digest;

describe('--repair', () => {
  it('fetches damaged blocks from a peer, byte for byte', async () => {
    const { dataDir } = damagedCopy();
    const peer = await suite.node({ from: sound });
    const { code, lines, printed } = await run(dataDir, [peer.p2pPort]);
    expect(printed).toMatch(/^page \d+ of signatures \(blocks 0 to \d+\) does not fit its checksum\n$/);
    expect(lines).toMatch(/Repaired 1 page in place: 721 blocks, [1-9]\d* blocks fetched from peers/);
    expect(code).toBe(0);
    expect(await digest(dataDir)).toBe(await digest(sound));
    expect(existsSync(join(folderOf(dataDir), 'damaged'))).toBe(false);
    await peer.stop();
    const again = await run(dataDir, []);
    expect(again.lines).toMatch(/The database is sound: 721 blocks. Nothing was changed/);
    expect(again.code).toBe(0);
  });

  it('rebuilds the database where a derived table is damaged, without a peer', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    cpSync(sound, dataDir, { recursive: true });
    const file = databaseFile(folderOf(dataDir));
    const connection = new SqliteConnection(file, { readonly: true });
    const page = connection
      .prepare<[], [number]>("SELECT max(pageno) FROM dbstat WHERE name = 'outputs'")
      .raw(true)
      .get()?.[0];
    connection.close();
    const content = readFileSync(file);
    content.fill(0xa5, (page ?? 0) * 8192 - 500, (page ?? 0) * 8192);
    writeFileSync(file, content);
    const { code, lines } = await run(dataDir, []);
    expect(lines).toMatch(/Repaired: 721 blocks, 0 blocks fetched from peers/);
    expect(lines).toContain(`The damaged database is in ${join(folderOf(dataDir), 'damaged')}`);
    expect(code).toBe(0);
    expect(await digest(dataDir)).toBe(await digest(sound));
  });

  it('names the blocks that no peer sent and changes nothing', async () => {
    const { dataDir, file } = damagedCopy();
    const before = readFileSync(file);
    const { code, lines } = await run(dataDir, []);
    expect(lines).toMatch(/No peer sent [1-9]\d* blocks that the repair needs: \d+/);
    expect(code).toBe(1);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
