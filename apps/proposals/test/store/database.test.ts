import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { sourceArguments } from '@wrkz/testing/source';
import { SqliteConnection } from '@wrkz/sqlite';
import { openFunding, openProposals } from '../../src/store/database';
import { FundingStore } from '../../src/store/funding';
import { admin, donationAddress, startService, stopAll, temporaryFolder } from '../support/service';
import { json, send } from '../support/http-client';
import { KEY, ScriptedWallet } from '../support/scripted-wallet';

afterEach(stopAll);

const program = (name: string): string[] => sourceArguments(join(__dirname, '../programs', name));

test('after a kill during writes both files are intact: each change complete, no reported change lost', async () => {
  const folder = temporaryFolder();
  const place = { directory: folder, network: 'mainnet' };
  let rounds = 0;
  for (const lines of [1, 7, 23]) {
    const child = spawn(process.execPath, [...program('write-on.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let reported = 0;
    const printed = createInterface(child.stdout)[Symbol.asyncIterator]();
    for (let i = 0; i < lines; i++) reported = Number((await printed.next()).value);
    child.kill('SIGKILL');
    await once(child, 'close');
    const proposals = openProposals(place, 'write');
    const count = (sql: string): number => Number(proposals.connection.prepare(sql).pluck().get());
    expect(proposals.connection.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = count('SELECT count(*) FROM proposals');
    expect([
      rows % 3,
      count('SELECT count(*) FROM audit'),
      count('SELECT count(*) FROM proposals WHERE status = 1'),
    ]).toEqual([0, 2 * rows, 0]);
    expect(rows / 3).toBeGreaterThanOrEqual(rounds + reported);
    rounds = rows / 3;
    proposals.close();
    const funding = openFunding(place);
    const store = new FundingStore(funding.connection);
    const known = [0, 1, 2].map((i) => {
      const { received = 0n, pending = 0n, checked = 0 } = store.find(`kept ${i}`) ?? {};
      const donations = store.contributions(`kept ${i}`);
      expect(received + pending).toBe(donations.reduce((sum, { amount }) => sum + amount, 0n));
      return [checked, donations.length, donations[0]?.height];
    });
    expect(new Set(known.map(String)).size).toBe(1);
    expect(known[0]?.[0]).toBeGreaterThanOrEqual(reported);
    expect(known[0]?.slice(1)).toEqual([1 + (Number(known[0]?.[0]) % 40), known[0]?.[0]]);
    funding.close();
    // The service also accepts the files.
    await (await startService([], {}, folder)).stop();
  }
});

describe('modified files', () => {
  const DONATED = 4_321n;

  /** A folder with two intact, closed database files. */
  async function soundFiles(): Promise<string> {
    const folder = temporaryFolder();
    const service = await startService([], {}, folder);
    service.add({ target: '100', address: donationAddress('a') });
    await service.stop();
    const funding = openFunding({ directory: folder, network: 'mainnet' });
    const donation = { hash: 'a'.repeat(64), amount: DONATED, height: 5, time: 6, unlocked: true };
    new FundingStore(funding.connection).replace(new Map([[donationAddress('a'), [donation]]]), {
      checked: 7,
      height: 8,
    });
    funding.close();
    return folder;
  }

  /** Data that a service returns for these files; undefined if it rejects them with an error that names the file. */
  async function served(folder: string, url: string): Promise<unknown> {
    // The wallet is unavailable, so the service returns stored data only.
    const options = ['--wallet-api', url, '--wallet-api-key', KEY];
    let service;
    try {
      service = await startService(options, {}, folder);
    } catch (error) {
      expect((error as Error).message).toContain(join(folder, ''));
      return undefined;
    }
    const reply = await send(service.url, '/api/1/proposals');
    await service.stop();
    if (reply.status !== 200) return undefined;
    const { data } = json(reply) as { data: { funded_pct: number; funds_target: number; addr_donation: string }[] };
    return data.map((one) => [one.funded_pct, one.funds_target, one.addr_donation]);
  }

  async function withWallet(act: (url: string) => Promise<void>): Promise<void> {
    const wallet = await ScriptedWallet.start();
    wallet.answer = (response) => response.destroy();
    try {
      await act(wallet.url);
    } finally {
      await wallet.close();
    }
  }

  const GOOD = [[43.21, 100, donationAddress('a')]];

  test('with flipped or torn bytes are refused, or serve the original data', () =>
    withWallet(async (url) => {
      const sound = await soundFiles();
      expect(await served(sound, url)).toEqual(GOOD);
      const change = fc.record({
        name: fc.constantFrom('proposals.sqlite', 'funding.sqlite'),
        at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        how: fc.constantFrom('bit', 'bit', 'bit', 'cut', 'zeros'),
        bit: fc.nat(7),
      });
      await fc.assert(
        fc.asyncProperty(change, async ({ name, at, how, bit }) => {
          const folder = temporaryFolder();
          for (const file of readdirSync(sound)) copyFileSync(join(sound, file), join(folder, file));
          const path = join(folder, name);
          const bytes = readFileSync(path);
          const place = Math.floor(at * bytes.length);
          if (how === 'cut') truncateSync(path, place);
          else {
            if (how === 'bit') bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
            else bytes.fill(0, place, Math.min(place + 512, bytes.length));
            writeFileSync(path, bytes);
          }
          const found = await served(folder, url);
          // An empty file counts as new; for SQLite a file of one byte is empty.
          const isNew = how === 'cut' && place <= 1;
          if (found !== undefined && !isNew) expect(found).toEqual(GOOD);
        }),
        { numRuns: 40 },
      );
    }));

  /** Damages the last page of a file, which the service reads at the start. */
  function damageEnd(folder: string, name: string): string {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    return path;
  }

  test.each([
    ['proposals.sqlite', 'Restore a backup'],
    ['funding.sqlite', 'Stop the service and move'],
  ])('a damaged page of %s is refused with file, page and remedy', async (name, remedy) => {
    const folder = await soundFiles();
    const path = damageEnd(folder, name);
    const started = startService([], {}, folder);
    await expect(started).rejects.toThrow(/page \d+ does not fit its checksum/);
    await expect(started).rejects.toThrow(path);
    await expect(started).rejects.toThrow(remedy);
  });

  test('a command that reads a damaged page fails with file, page and remedy', async () => {
    const folder = await soundFiles();
    const path = damageEnd(folder, 'proposals.sqlite');
    const list = (): string => admin(folder, 'admin', 'list', '--audit');
    expect(list).toThrow(/page \d+ does not fit its checksum.*Restore a backup/);
    expect(list).toThrow(path);
  });

  test('a damaged control file of the proposals is named; the service starts without it', async () => {
    const folder = await soundFiles();
    const path = join(folder, 'proposals.sqlite-control');
    truncateSync(path, 50);
    await expect(startService([], {}, folder)).rejects.toThrow(`To use it here, remove ${path}`);
    rmSync(path);
    await (await startService([], {}, folder)).stop();
  });

  test.each([
    [
      'a target',
      'proposals.sqlite',
      'UPDATE proposals SET target = 5000',
      /proposal 1 in .* differs from its last audit entry/,
    ],
    ['an address', 'proposals.sqlite', "UPDATE proposals SET address = 'x'", /differs from its last audit entry/],
    [
      'a sum',
      'funding.sqlite',
      'UPDATE funding SET received = 9999999',
      /the sums of Wrkz.* differ from its donations/,
    ],
    ['a locked sum', 'funding.sqlite', 'UPDATE funding SET pending = 1', /the sums of Wrkz/],
    ['a donation', 'funding.sqlite', 'UPDATE contributions SET amount = 1', /the sums of Wrkz/],
    ['the time of a poll', 'funding.sqlite', 'UPDATE funding SET checked = -1', /the sums of Wrkz/],
    ['a donation without a sum', 'funding.sqlite', 'PRAGMA foreign_keys = 0; DELETE FROM funding', /the sums of Wrkz/],
  ])('in which %s was changed are refused with an error text', async (_what, name, sql, words) => {
    const folder = await soundFiles();
    const connection = new SqliteConnection(join(folder, name));
    connection.exec(sql);
    connection.close();
    await expect(startService([], {}, folder)).rejects.toThrow(words);
  });
});

test('a donation that a reorganisation moved to another block has its new height', () => {
  const funding = openFunding({ directory: temporaryFolder(), network: 'mainnet' });
  const store = new FundingStore(funding.connection);
  for (const height of [5, 6]) {
    const donation = { hash: 'a'.repeat(64), amount: 1n, height, time: 6, unlocked: true };
    store.replace(new Map([[donationAddress('a'), [donation]]]), { checked: 7, height: 8 });
    expect(store.contributions(donationAddress('a'))).toEqual([donation]);
  }
  funding.close();
});

test('stored donations are served even if the commit cannot be recorded in the control file', () => {
  const funding = openFunding({ directory: temporaryFolder(), network: 'mainnet' });
  const store = new FundingStore(funding.connection, () => {
    throw new Error('no space');
  });
  const { revision } = store;
  expect(() => store.replace(new Map([[donationAddress('a'), []]]), { checked: 7, height: 8 })).toThrow('no space');
  expect([store.find(donationAddress('a'))?.checked, store.lastChecked]).toEqual([7, 7]);
  expect(store.revision).not.toBe(revision);
  funding.close();
});

const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0;
if (!canMount) process.stderr.write('skipped: a full disk, as nothing can be mounted here\n');

(canMount ? test : test.skip)(
  'on a full disk no write is partial, known donations are retained, and polls continue later',
  () => {
    const folder = temporaryFolder();
    const script = 'mount -t tmpfs -o size=1536k tmpfs "$0" && exec "$@"';
    const words = ['-m', 'sh', '-c', script, folder, process.execPath, ...program('full-disk.ts'), folder];
    const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { first, full, halves, after } = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
    expect(first).toEqual([expect.stringContaining('Added proposal 1'), 'kept']);
    expect(full).toEqual({
      added: expect.stringMatching(/^refused: the disk is full: cannot write the proposal database/),
      listed: 1,
      put: expect.stringMatching(/^refused: the disk is full: cannot write the funding database/),
      known: [5, 5, 5],
      exported: expect.stringMatching(/^refused: .*(ENOSPC|full)|^Exported/),
    });
    expect(halves).toEqual([]);
    expect(after).toEqual({
      added: expect.stringContaining('Added proposal'),
      listed: 2,
      put: 'kept',
      known: [50, 50, 50],
    });
  },
);
