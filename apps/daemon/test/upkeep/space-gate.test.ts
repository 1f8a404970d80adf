import { once } from 'node:events';
import { Checkpoints } from '@wrkz/consensus';
import { networkOf } from '@wrkz/core-types';
import { openChainDb } from '@wrkz/chain-db';
import { chainA } from '@wrkz/testing';
import { ChainEngine } from '../../src/chain/engine';
import { ChainPaused } from '../../src/chain/service';
import { LowDiskWatch } from '../../src/upkeep/disk-space';
import { digestOf, NOW } from '../support/engine';
import { temporaryDirectory } from '../support/temporary';

/* Blocks wait while the disk has no room, in an engine whose disk the test is. */

function bench() {
  const directory = temporaryDirectory();
  const disk = { full: false };
  const engine = new ChainEngine({
    db: openChainDb({ directory, network: 'devnet' }),
    network: networkOf('devnet'),
    checkpoints: Checkpoints.none,
    now: () => NOW,
    diskShortage: () => (disk.full ? 'the disk is full' : undefined),
  });
  const reported: (string | undefined)[] = [];
  engine.on('diskShortage', (why) => reported.push(why));
  return { directory, disk, engine, reported };
}

const MIB = 1024 * 1024;
const blocks = chainA().slice(1, 40);

test('blocks wait without free space and are added when there is some; maintenance continues', async () => {
  const { directory, disk, engine, reported } = bench();
  await engine.addBlocks(blocks.slice(0, 10), 'sync');
  disk.full = true;
  const added = engine.addBlocks(blocks.slice(10), 'sync');
  await once(engine, 'diskShortage');
  expect(engine.tip().height).toBe(10);
  await expect(engine.addBlocks(blocks.slice(10, 11), 'submit')).rejects.toThrow(ChainPaused);
  expect(await engine.compactStep()).toMatchObject({ done: true });
  disk.full = false;
  expect((await added).map(({ code }) => code)).toEqual(blocks.slice(10).map(() => 'ADDED_TO_MAIN'));
  expect(reported).toEqual(['the disk is full', undefined]);
  await engine.stop();
  await digestOf(directory, 'devnet');
});

test('refuses the first mined block on a full disk, and reports the shortage and its end', async () => {
  const { disk, engine, reported } = bench();
  disk.full = true;
  await expect(engine.addBlocks(blocks.slice(0, 1), 'submit')).rejects.toThrow(ChainPaused);
  expect(reported).toEqual(['the disk is full']);
  disk.full = false;
  await once(engine, 'diskShortage');
  expect(reported).toEqual(['the disk is full', undefined]);
  expect(await engine.addBlocks(blocks.slice(0, 1), 'submit')).toMatchObject([{ code: 'ADDED_TO_MAIN' }]);
  await engine.stop();
});

test('a stop does not wait for free space', async () => {
  const { directory, disk, engine } = bench();
  disk.full = true;
  const added = engine.addBlocks(blocks, 'sync');
  await once(engine, 'diskShortage');
  await Promise.all([engine.stop(), expect(added).rejects.toThrow('the chain engine has stopped')]);
  await digestOf(directory, 'devnet');
});

test('a stop without free space drops verified blocks that are not committed', async () => {
  const { directory, disk, engine } = bench();
  await engine.addBlocks(blocks.slice(0, 10), 'sync', true);
  const adding = engine.addBlocks(blocks.slice(10, 12), 'sync', true);
  const { held } = engine as unknown as { held: { isEmpty: boolean } };
  while (held.isEmpty) await new Promise((resolve) => setImmediate(resolve));
  disk.full = true;
  await Promise.all([engine.stop(), expect(adding).rejects.toThrow('the chain engine has stopped')]);
  expect(engine.tip().height).toBe(10);
  await digestOf(directory, 'devnet');
});

test('warns once when the disk runs low, and once when it has recovered by more than the minimum', () => {
  const lines: string[] = [];
  let free = 0;
  const watch = new LowDiskWatch({
    folder: '/data',
    minBytes: 64 * MIB,
    logger: { warning: (line) => void lines.push(line) },
    readFreeBytes: () => free * MIB,
  });
  for (free of [100, 64, 63, 10, 64, 67, 68, 100, 0]) watch.check();
  expect(lines).toEqual([
    'the disk of /data is low on space: 63 MiB free, less than 64 MiB',
    'the disk of /data has enough space again: 68 MiB free',
    'the disk of /data is low on space: 0.0 MiB free, less than 64 MiB',
  ]);
});
