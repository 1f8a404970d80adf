import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import * as crypto from '@wrkz/crypto';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { digestOf, nodeArguments } from '@wrkz/testing';
import { Daemon, readConfig } from '../../src';
import { rewindAtStart } from '../../src/actions/action';
import { selfTestAction } from '../../src/actions/run-action';
import type { Screen } from '../../src/console/terminal/screen';
import { loadCheckpoints } from '../../src/chain/checkpoints';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

jest.mock('@wrkz/crypto', () => {
  const real = jest.requireActual<typeof crypto>('@wrkz/crypto');
  return { ...real, selfTest: jest.fn(real.selfTest), setThreads: jest.fn(real.setThreads) };
});

exercises('resync', 'rewind-to-height', 'export-checkpoints', 'self-test', 'transaction-validation-threads');
exercises(
  'import-blockchain',
  'dump-file',
  'db-read-buffer-size',
  'db-write-buffer-size',
  'db-threads',
  'load-checkpoints',
);

const suite = newSuite();
let data: string;
beforeAll(async () => {
  data = await suite.chainA();
});
afterAll(() => suite.stopAll());

/** A whole daemon on a folder, up to its end or until it serves. */
async function start(dataDir: string, ...args: string[]): Promise<{ daemon: Daemon; logger: MemoryLogger }> {
  const logger = createMemoryLogger('info');
  const daemon = Daemon.create(readConfig([...nodeArguments('devnet', dataDir), ...args]), { logger });
  await daemon.start();
  return { daemon, logger };
}

describe('--rewind-to-height', () => {
  it('removes the blocks from that index on, and the daemon continues from there', async () => {
    const node = await suite.node({ from: data, args: ['--rewind-to-height', '700'] });
    expect(node.height).toBe(699);
    const digest = await node.digest();
    const again = await suite.node({ from: data, args: ['--rewind-to-height', '700'] });
    expect(await again.digest()).toBe(digest);
  });

  it.each([721, 722, 5000])('to %d changes nothing in a chain of 721 blocks', async (count) => {
    const node = await suite.node({ from: data, args: ['--rewind-to-height', String(count)] });
    expect(node.height).toBe(720);
    await node.stop();
  });

  it.each([
    [321, undefined],
    [320, /^Cannot rewind to 320: the chain is 721 blocks tall .* at most 400 .* rewind to 321\. Nothing was changed/],
  ])('to %d of 721 blocks with a limit of 400: %s', async (count, refusal) => {
    const config = readConfig(['--network=devnet', `--rewind-to-height=${String(count)}`]);
    const calls: number[] = [];
    const chain = {
      tip: () => ({ height: 720 }),
      rewindTo: (height: number) => Promise.resolve(void calls.push(height)),
    };
    const work = rewindAtStart(config, chain as unknown as Parameters<typeof rewindAtStart>[1], () => undefined);
    if (refusal === undefined) await work;
    else await expect(work).rejects.toThrow(refusal);
    expect(calls).toEqual(refusal === undefined ? [count - 1] : []);
  });

  it('below the limit fails the start and leaves the data unchanged', async () => {
    const before = await digestOf(data);
    await expect(start(data, '--rewind-to-height', '5')).rejects.toThrow('Nothing was changed');
    expect(await digestOf(data)).toBe(before);
    expect(networkOf('mainnet').rewindLimit).toBe(4320);
  });
});

describe('--resync', () => {
  it('starts with genesis alone, with and without a chain', async () => {
    const node = await suite.node({ from: data, args: ['--resync'] });
    expect(node.height).toBe(0);
    await node.stop();
    const { daemon } = await start(suite.folder(), '--resync');
    expect(daemon.parts.chain.tip().height).toBe(0);
    await daemon.stop();
  });

  it('before an import leaves only the imported blocks', async () => {
    const node = await suite.node({ from: data, args: ['--rewind-to-height', '700'] });
    await node.stop();
    const dump = join(suite.folder(), 'a.dump');
    expect(await suite.run(data, ['--export-blockchain', '--dump-file', dump])).toBe(0);
    expect(await suite.run(node.dataDir, ['--resync', '--import-blockchain', '--dump-file', dump])).toBe(0);
    expect(await digestOf(node.dataDir)).toBe(await digestOf(data));
  });

  it('deletes a damaged chain, but not one in use or of another network', async () => {
    const folder = suite.folder();
    const { daemon } = await start(folder);
    await expect(start(folder, '--resync')).rejects.toThrow('in use by another running program');
    await daemon.stop();
    writeFileSync(join(folder, 'devnet', 'chain.sqlite'), 'nothing of the kind');
    const mended = await start(folder, '--resync');
    await mended.daemon.stop();
    const other = readConfig([...nodeArguments('simnet', folder), '--resync']);
    const wrong = { ...other, directory: join(folder, 'devnet') };
    await expect(Daemon.create(wrong, { logger: createMemoryLogger() }).start()).rejects.toThrow('belongs to devnet');
    expect(existsSync(join(folder, 'devnet', 'chain.sqlite'))).toBe(true);
  });
});

test('the known blocks of mainnet are built-in checkpoints, up to the highest one', () => {
  const mainnet = networkOf('mainnet');
  const entries = new Map(loadCheckpoints('default', mainnet).entries());
  for (const { height, hash } of mainnet.knownBlocks) expect(entries.get(height)?.toString('hex')).toBe(hash);
  expect(mainnet.knownBlocks.at(-1)?.height).toBe(Math.max(...entries.keys()));
});

describe('--export-checkpoints', () => {
  it('writes a file for --load-checkpoints: every hundredth block that is final', async () => {
    const path = join(suite.folder(), 'checkpoints.csv');
    expect(await suite.run(data, ['--export-checkpoints', path])).toBe(0);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => Number(line.split(',')[0]))).toEqual([0, 100, 200, 300, 400, 500]);
    const checkpoints = loadCheckpoints(path, networkOf('devnet'));
    const db = openChainDb({ directory: join(data, 'devnet'), network: 'devnet', readonly: true });
    for (const [height, hash] of checkpoints.entries()) expect(db.reader.hashAt(height)?.equals(hash)).toBe(true);
    db.close();
    const node = await suite.node({ from: data, args: ['--load-checkpoints', path] });
    expect(node.height).toBe(720);
    await node.stop();
  });

  it('overwrites no file, and reports a write error: exit 1', async () => {
    const taken = join(suite.folder(), 'taken.csv');
    writeFileSync(taken, 'mine');
    for (const path of [taken, '/dev/null/x.csv'])
      expect(await suite.run(data, ['--export-checkpoints', path])).toBe(1);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    expect(await suite.run(suite.folder(), ['--export-checkpoints', join(suite.folder(), 'x.csv')])).toBe(1);
  });
});

describe('--self-test', () => {
  const run = async (signal = new AbortController().signal): Promise<{ code: number; text: string }> => {
    let text = '';
    const screen = { write: (line: string) => (text += line) } as unknown as Screen;
    return { code: await selfTestAction({ screen, signal }), text };
  };

  it('exits with 0 if all implementations agree', async () => {
    expect(readConfig(['--self-test']).action).toBe('self-test');
    // The results of the native module are compared in the tests of packages/crypto.
    jest.mocked(crypto.selfTest).mockResolvedValueOnce([{ path: 'portable', checks: 3, failures: [] }]);
    expect(await run()).toEqual({ code: 0, text: 'portable: 3 results as known\nself-test passed\n' });
  });

  it('exits with 1 if interrupted', async () => {
    jest.mocked(crypto.selfTest).mockReturnValueOnce(new Promise(() => undefined));
    expect(await run(AbortSignal.abort())).toEqual({ code: 1, text: 'Stopped before everything was computed\n' });
  });

  it('exits with 1 if an implementation differs, and reports the difference', async () => {
    jest.mocked(crypto.selfTest).mockResolvedValueOnce([
      { path: 'portable', checks: 3, failures: [] },
      { path: 'avx2', checks: 3, failures: ['chukwa is 00 and not 11'] },
    ]);
    const { code, text } = await run();
    expect(code).toBe(1);
    expect(text).toBe('portable: 3 results as known\navx2: chukwa is 00 and not 11\nself-test FAILED on 1 paths\n');
  });
});

it('--transaction-validation-threads sets the native pool, 0 leaves it; the minimum of the database options works', async () => {
  const threads = jest.mocked(crypto.setThreads);
  const least = ['--db-read-buffer-size=1', '--db-write-buffer-size=1', '--db-threads=1'];
  const one = await start(suite.folder(), '--transaction-validation-threads=1', ...least);
  expect(threads.mock.calls).toEqual([[1]]);
  expect(one.daemon.parts.chain.tip().height).toBe(0);
  await one.daemon.stop();
  const two = await start(suite.folder(), '--transaction-validation-threads=0');
  expect(threads.mock.calls).toEqual([[1]]);
  await two.daemon.stop();
  threads.getMockImplementation()?.(crypto.hardwareThreads());
});
