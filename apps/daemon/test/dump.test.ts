import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkOf } from '@wrkz/core-types';
import { chainA, dumpOf, writeChainADump } from '@wrkz/testing';
import { ChainClient } from '../src/chain/client';
import { DumpReader } from '../src/dump/format';
import { exportDump, ExportRefused } from '../src/dump/export';
import { importDump, ImportRefused } from '../src/dump/import';
import { digestOf, type EngineBench, engineBench } from './support/engine';
import { temporaryDirectory } from './support/temporary';

const devnet = networkOf('devnet');
let folder: string;
let whole: string;
let short: string;

beforeAll(() => {
  folder = temporaryDirectory();
  whole = join(folder, 'chain-a.dump');
  writeChainADump(whole);
  short = join(folder, 'short.dump');
  writeChainADump(short, 351);
});

const bring = async (bench: EngineBench, path: string, signal?: AbortSignal): ReturnType<typeof importDump> =>
  importDump({ dump: await DumpReader.open(path), chain: bench.engine, ...(signal && { signal }) });

describe('import and export of a dump', () => {
  it('imports chain A, exports the same bytes, and imports them again to the same digest', async () => {
    const first = engineBench('devnet');
    const seen: number[] = [];
    const report = await importDump({
      dump: await DumpReader.open(whole),
      chain: first.engine,
      onProgress: (height) => seen.push(height),
    });
    expect(report).toEqual({ height: 720, blocks: 720, transactions: 858, stopped: false });
    expect(seen.at(-1)).toBe(721);
    const path = join(folder, 'own.dump');
    expect(await exportDump({ path, reader: first.reader, network: devnet, limit: 0 })).toBe(720);
    expect(readFileSync(path).equals(readFileSync(whole))).toBe(true);
    const second = engineBench('devnet');
    await bring(second, path);
    expect(await second.digest()).toBe(await first.digest());
  });

  it('continues where an earlier import ended', async () => {
    const part = join(folder, 'part.dump');
    writeChainADump(part, 151);
    const bench = engineBench('devnet');
    expect(await bring(bench, part)).toMatchObject({ height: 150, blocks: 150 });
    expect(await bring(bench, part)).toMatchObject({ height: 150, blocks: 0 });
    expect(await bring(bench, short)).toMatchObject({ height: 350, blocks: 200 });
    await bench.digest();
  });

  it('stops on its signal and stores the imported blocks', async () => {
    const bench = engineBench('devnet');
    const stop = new AbortController();
    bench.engine.once('commit', () => stop.abort());
    const report = await bring(bench, short, stop.signal);
    expect(report.stopped).toBe(true);
    expect(report.height).toBe(bench.engine.tip().height);
    expect(report.height).toBeLessThan(350);
    expect(await bring(bench, short)).toMatchObject({ height: 350 });
    await bench.digest();
  });

  it('drops the blocks in flight if the engine is stopped too, and reports the stored ones', async () => {
    const directory = temporaryDirectory();
    const start = (): Promise<ChainClient> => ChainClient.start({ directory, network: 'devnet', checkpoints: '' });
    const chain = await start();
    const stop = new AbortController();
    chain.once('commit', () => {
      stop.abort();
      void chain.stop();
    });
    const report = await importDump({ dump: await DumpReader.open(short), chain, signal: stop.signal });
    await chain.stop();
    expect(report).toMatchObject({ stopped: true, height: chain.tip().height, blocks: chain.tip().height });
    expect(report.height).toBeLessThan(300); // a batch, and the one that was on its way
    const again = await start();
    expect(await importDump({ dump: await DumpReader.open(short), chain: again })).toMatchObject({
      height: 350,
      blocks: 350 - report.height,
    });
    await again.stop();
    await digestOf(directory, 'devnet');
  });

  it('exports at most the limit, and requires 1000 blocks on mainnet only', async () => {
    const bench = engineBench('devnet');
    await bench.engine.addBlocks(chainA().slice(1, 30), 'import');
    const path = join(folder, 'limited.dump');
    expect(await exportDump({ path, reader: bench.reader, network: devnet, limit: 7 })).toBe(7);
    expect(readFileSync(path).equals(dumpOf(chainA().slice(1, 8)))).toBe(true);
    const again = exportDump({ path, reader: bench.reader, network: devnet, limit: 7 });
    await expect(again).rejects.toThrow(ExportRefused);
    const real = exportDump({ path: `${path}2`, reader: bench.reader, network: networkOf('mainnet'), limit: 0 });
    await expect(real).rejects.toThrow('an export needs 1000');
    expect(existsSync(`${path}2`)).toBe(false);
    await bench.engine.stop();
  });

  it('fails if the chain is reorganised below the exported blocks', async () => {
    const bench = engineBench('devnet');
    await bench.engine.addBlocks(chainA().slice(1, 221), 'import');
    const path = join(folder, 'moving.dump');
    const { reader } = bench;
    // after the first chunk another branch holds the blocks below the second
    let moved = false;
    const moving = new Proxy(reader, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === 'hashAt' && moved) return () => Buffer.alloc(32, 1);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const onProgress = (): void => void (moved = true);
    const exporting = exportDump({ path, reader: moving, network: devnet, limit: 0, onProgress });
    await expect(exporting).rejects.toThrow('was reorganised while it was exported');
    expect(readdirSync(folder).filter((name) => name.startsWith('moving'))).toEqual([]);
    await bench.engine.stop();
  });

  it('leaves no incomplete file behind', async () => {
    const bench = engineBench('devnet');
    await bench.engine.addBlocks(chainA().slice(1, 10), 'import');
    const there = temporaryDirectory();
    const signal = AbortSignal.abort();
    await expect(
      exportDump({ path: join(there, 'x.dump'), reader: bench.reader, network: devnet, limit: 0, signal }),
    ).rejects.toThrow('stopped');
    expect(readdirSync(there)).toEqual([]);
    const path = join(there, 'missing', 'x.dump');
    await expect(exportDump({ path, reader: bench.reader, network: devnet, limit: 0 })).rejects.toThrow('ENOENT');
    await bench.engine.stop();
  });
});

describe('an invalid dump', () => {
  const broken = (name: string, bytes: Buffer): string => {
    const path = join(folder, `${name}.dump`);
    writeFileSync(path, bytes);
    return path;
  };
  const good = dumpOf(chainA().slice(1, 21));

  it.each([
    ['no dump at all', Buffer.from('hello, this is a letter'), 'a height is expected'],
    ['no length', Buffer.from('21 x'), 'a length is expected'],
    ['a declared length beyond all bounds', Buffer.from('21 999999999 abc'), 'bytes is declared'],
    ['cut off', dumpOf(chainA().slice(21, 22), 21).subarray(0, -20), 'cut off'],
    ['a gap', dumpOf(chainA().slice(22, 23), 22), 'block 22 follows block 20'],
    ['garbage in a body', Buffer.from('21 3 abc '), 'block 21 cannot be read'],
  ])('is rejected: %s; the blocks before the damage are stored', async (name, bytes, message) => {
    const bench = engineBench('devnet');
    await expect(bring(bench, broken(name, Buffer.concat([good, bytes])))).rejects.toThrow(message);
    expect(bench.engine.tip().height).toBe(20);
    await bench.digest();
  });

  it.each([
    ['the last batch', 41],
    ['a batch that is followed by others', 721],
  ])('is rejected with the block that a rule refuses, in %s', async (_, end) => {
    const blocks = chainA().slice(1, end);
    const bad = Buffer.from(blocks[30]!.block);
    bad[bad.length - 40] = (bad[bad.length - 40] ?? 0) ^ 1;
    const path = broken(
      `refused-${String(end)}`,
      dumpOf(blocks.map((raw, i) => (i === 30 ? { ...raw, block: bad } : raw))),
    );
    const bench = engineBench('devnet');
    const failed = bring(bench, path);
    await expect(failed).rejects.toThrow(ImportRefused);
    await expect(failed).rejects.toThrow(/^block 31 of the dump is refused: .+ \([A-Z]+(_[A-Z]+)+\)$/);
    expect(bench.engine.tip().height).toBe(30);
    await bench.digest();
  });

  it('is rejected if it starts above the tip or belongs to another chain', async () => {
    const bench = engineBench('devnet');
    await expect(bring(bench, broken('late', dumpOf(chainA().slice(5, 9), 5)))).rejects.toThrow('starts at block 5');
    await bench.engine.addBlocks(chainA().slice(1, 3), 'import');
    await expect(bring(bench, broken('foreign', dumpOf(chainA().slice(10, 12), 3)))).rejects.toThrow(
      '(REJECTED_AS_ORPHANED)',
    );
    await expect(bring(bench, join(folder, 'nowhere'))).rejects.toThrow('cannot be read');
    await expect(bring(bench, folder)).rejects.toThrow('it is not a file');
    await bench.digest();
  });
});

test('reads records that are larger than one read of the file', async () => {
  const big = Buffer.alloc(3 * 1024 * 1024, 7);
  const path = join(folder, 'big.dump');
  writeFileSync(path, Buffer.concat([Buffer.from(`1 ${String(big.length)} `), big, Buffer.from(' 2 0  3 1 x ')]));
  const reader = await DumpReader.open(path);
  expect((await reader.next())?.body?.equals(big)).toBe(true);
  expect(await reader.next()).toMatchObject({ height: 2, body: Buffer.alloc(0) });
  expect(await reader.next(4)).toEqual({ height: 3, body: undefined });
  expect(await reader.next()).toBeUndefined();
  await reader.close();
});
