import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { finished } from 'node:stream/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChainDb, rulesDigest } from '@wrkz/chain-db';
import { createMemoryLogger } from '@wrkz/service-kit';
import { nodeArguments } from '@wrkz/testing';
import { Daemon, readConfig } from '../src';
import { newSuite } from './network/daemons';
import { exercises } from './support/exercises';

/* Snapshots as an operator meets them: made on the console of a node, looked at, imported, and synchronized on from a peer. */

exercises('import-lite-snapshot', 'snapshot-info', 'snapshot-stats', 'accept-snapshot-digest');

const LITE = 600;
const suite = newSuite();
let socket: string;
let full: Awaited<ReturnType<typeof suite.node>>;

beforeAll(async () => {
  socket = join(suite.folder(), 'node.sock');
  full = await suite.node({ from: await suite.chainA(), args: ['--rpc-ipc-path', socket] });
});
afterAll(() => suite.stopAll());

async function command(text: string): Promise<string> {
  const json = await new Promise<string>((resolve, reject) => {
    const sent = request({ socketPath: socket, path: '/console', method: 'POST', agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve(body));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ command: text }));
  });
  return (JSON.parse(json) as { output: string }).output;
}

/** The state of an export, once it is idle. Polls, because no event reports its end. */
async function ended(): Promise<string> {
  for (;;) {
    const text = await command('snapshot_export status');
    if (!text.includes('running')) return text;
    expect(text).toMatch(
      /^Snapshot export: running \(\d+s elapsed\)\nWriting: .*\nTable: .*\nRecords: \d+ kept of \d+ scanned\n$/,
    );
  }
}

let made: { readonly path: string; readonly digest: string } | undefined;

async function snapshot(): Promise<NonNullable<typeof made>> {
  if (made === undefined) {
    const folder = suite.folder();
    const path = join(folder, `wrkz-lite-base-h${LITE}-v1.litesnap`);
    expect(await command(`snapshot_export start ${LITE} ${folder}`)).toBe(
      `Exporting a lite node snapshot at height ${LITE} to ${path}\n` +
        'This walks the whole database and takes tens of minutes. Follow it with `snapshot_export status`.\n',
    );
    const text = await ended();
    expect(text).toMatch(
      /^Snapshot export: idle\nLast result: wrote .*\nLite height: 600\nRecords: \d+\nDigest: [0-9a-f]{64}\n$/,
    );
    made = { path, digest: /Digest: (\w+)/.exec(text)![1]! };
  }
  return made;
}

/** A start that ends by itself: exit code, output and log. */
async function oneShot(dataDir: string, ...args: string[]): Promise<{ code: number; text: string; log: string }> {
  const logger = createMemoryLogger('info');
  const file = join(mkdtempSync(join(tmpdir(), 'snapshot-out-')), 'out');
  const stream = createWriteStream(file);
  const daemon = Daemon.create(readConfig([...nodeArguments('devnet', dataDir), ...args]), {
    logger,
    stream: stream as unknown as NodeJS.WriteStream,
  });
  await daemon.start();
  const code = (await daemon.finished)!;
  await daemon.stop();
  stream.end();
  await finished(stream);
  const log = logger.entries.map(({ message }) => message).join('\n');
  return { code, text: readFileSync(file, 'utf8'), log };
}

const lite = ['--lite', '--lite-height', String(LITE)];

const digestAt = (dataDir: string): string => {
  const db = openChainDb({ directory: join(dataDir, 'devnet'), network: 'devnet', readonly: true });
  try {
    return rulesDigest(db.reader);
  } finally {
    db.close();
  }
};

test('makes and imports a snapshot, and synchronizes to the tip with the state of the other nodes', async () => {
  const { path, digest } = await snapshot();
  const dataDir = suite.folder();
  const args = ['--import-lite-snapshot', path, ...lite, '--accept-snapshot-digest', digest];
  const { code, text, log } = await oneShot(dataDir, ...args);
  expect({ code, log }).toMatchObject({ code: 0 });
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('WRKZ-IMPORT '));
  const phases = lines.map((line) => JSON.parse(line.slice('WRKZ-IMPORT '.length)) as Record<string, unknown>);
  expect(phases.map(({ phase }) => phase).filter((phase, i, all) => phase !== all[i - 1])).toEqual(
    expect.arrayContaining(['blocks', 'write', 'done']),
  );
  expect(lines.at(-1)).toMatch(/^WRKZ-IMPORT \{"phase":"done","done":(\d+),"total":\1,"percent":100\.0\}$/);
  const imported = await suite.node({ from: dataDir, peers: [full.p2pPort], args: lite });
  expect(imported.height).toBeGreaterThanOrEqual(LITE - 1);
  await imported.untilTip(full.tip);
  await imported.stop();
  const synced = await suite.node({ peers: [full.p2pPort], args: lite });
  await synced.untilTip(full.tip);
  await synced.stop();
  expect(digestAt(imported.dataDir)).toBe(digestAt(synced.dataDir));
  expect(digestAt(imported.dataDir)).toBe(digestAt(full.dataDir));
});

test('rejects an unacceptable snapshot with exit code 1, and leaves nothing behind', async () => {
  const { path, digest } = await snapshot();
  const dataDir = suite.folder();
  const { code, log } = await oneShot(dataDir, '--import-lite-snapshot', path, ...lite);
  expect(code).toBe(1);
  expect(log).toContain(`This build does not recognise that snapshot. Its digest is ${digest} at height ${LITE}`);
  expect(existsSync(join(dataDir, 'devnet', 'chain.sqlite'))).toBe(false);
});

test('checks the file in a dry run and writes nothing; an invalid file destroys no chain', async () => {
  const { path, digest } = await snapshot();
  const dataDir = suite.folder();
  const args = ['--import-lite-snapshot', path, ...lite, '--accept-snapshot-digest', digest, '--dry-run'];
  const dry = await oneShot(dataDir, ...args);
  expect(dry.code).toBe(0);
  expect(dry.log).toMatch(
    /records of the blocks[^]*The snapshot is complete and would be imported\nNothing was changed: --dry-run$/,
  );
  expect(existsSync(join(dataDir, 'devnet'))).toBe(false);
  const data = await suite.chainA();
  const before = digestAt(data);
  const refused = await oneShot(data, '--resync', '--import-lite-snapshot', path, ...lite);
  expect(refused.code).toBe(1);
  expect(digestAt(data)).toBe(before);
  const taken = await oneShot(data, '--resync', ...args.slice(0, -1));
  expect(taken.code).toBe(0);
  const db = openChainDb({ directory: join(data, 'devnet'), network: 'devnet', readonly: true });
  expect([db.reader.height(), db.reader.floors().lite]).toEqual([LITE - 1, LITE]);
  db.close();
});

test('prints one line for --snapshot-info, without needing or making a data directory', async () => {
  const { path, digest } = await snapshot();
  const dataDir = join(suite.folder(), 'none');
  const { code, text } = await oneShot(dataDir, '--snapshot-info', path);
  expect(code).toBe(0);
  expect(text.trim().split('\n')).toHaveLength(1);
  expect(Object.keys(JSON.parse(text) as object)).toEqual([
    ...['formatVersion', 'liteHeight', 'records', 'blockInfoRecords', 'keyImageRecords', 'keyOutputRecords'],
    ...['transactionsCount', 'genesisHash', 'digest', 'accepted'],
  ]);
  expect(JSON.parse(text)).toMatchObject({
    formatVersion: 1,
    liteHeight: LITE,
    blockInfoRecords: LITE,
    digest,
    accepted: false,
  });
  const accepted = await oneShot(dataDir, '--snapshot-info', path, '--accept-snapshot-digest', digest);
  expect(JSON.parse(accepted.text)).toMatchObject({ accepted: true });
  const foreign = join(suite.folder(), 'foreign');
  writeFileSync(foreign, Buffer.alloc(200));
  expect(await oneShot(dataDir, '--snapshot-info', foreign)).toMatchObject({
    code: 1,
    text: `{"error":"${foreign} is not a lite node snapshot"}\n`,
  });
  expect(existsSync(dataDir)).toBe(false);
});

test('counts the records of each table for --snapshot-stats', async () => {
  const { code, text } = await oneShot(await suite.chainA(), '--snapshot-stats');
  expect(code).toBe(0);
  expect(text).toMatch(/^table +records +MB\n/);
  expect(text).toMatch(/^blocks +721 +\d+\.\d\d$/m);
  expect(text).toMatch(/^block_bodies +721 /m);
  expect(text).toMatch(/^total +\d+ +\d+\.\d\d\nsize on disk +\d+\.\d\d MB\nratio +\d\.\d\d bytes/m);
});

describe('snapshot_export', () => {
  it('reports missing parameters', async () => {
    expect(await command('snapshot_export')).toBe(
      'This node has no lite height, so a snapshot height has to be given:\n' +
        'Usage: snapshot_export [start [height] [path] | status | cancel]\n',
    );
    expect(await command('snapshot_export start 700')).toBe(
      'This node is at height 721 and a snapshot at 700 needs it to be at least 740, so the exported region is beyond any ' +
        'reorg.\n',
    );
    expect(await command('snapshot_export begin')).toBe(
      'Usage: snapshot_export [start [height] [path] | status | cancel]\n',
    );
    expect(await command('snapshot_export start 5 a b')).toBe(
      'Usage: snapshot_export [start [height] [path] | status | cancel]\n',
    );
    expect(await command('snapshot_export cancel')).toBe('No snapshot export is running.\n');
    const { path } = await snapshot();
    expect(await command(`snapshot_export start ${LITE} ${path}`)).toBe(
      `${path} already exists. Move it aside or name another path.\n`,
    );
    expect(await command(`snapshot_export start ${LITE} ${path}/deeper/file`)).toMatch(
      /^The folder .* does not exist\.\n$/,
    );
  });

  it('can be cancelled, and runs once at a time', async () => {
    const folder = join(suite.folder(), 'exports');
    mkdirSync(folder);
    await command(`snapshot_export start ${LITE} ${folder}`);
    expect(await command('snapshot_export')).toBe(
      'A snapshot export is already running. Use `snapshot_export status`.\n',
    );
    expect(await command('snapshot_export cancel')).toBe(
      'Cancelling the snapshot export. The partial file will be removed.\n',
    );
    expect(await ended()).toMatch(/^Snapshot export: idle\nLast result: failed - it was cancelled\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });
});
