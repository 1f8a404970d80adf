import { once } from 'node:events';
import { Checkpoints } from '@wrkz/consensus';
import { networkOf } from '@wrkz/core-types';
import { openChainDb } from '@wrkz/chain-db';
import { chainA } from '@wrkz/testing';
import { ChainEngine } from '../../src/chain/engine';
import { ChainPaused } from '../../src/chain/service';
import { FreeSpaceWatch } from '../../src/upkeep/disk-space';
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
    noRoom: () => (disk.full ? 'the disk is full' : undefined),
  });
  const told: (string | undefined)[] = [];
  engine.on('room', (why) => told.push(why));
  return { directory, disk, engine, told };
}

const blocks = chainA().slice(1, 40);

test('blocks wait without room and are taken when there is some; upkeep goes on meanwhile', async () => {
  const { directory, disk, engine, told } = bench();
  await engine.addBlocks(blocks.slice(0, 10), 'sync');
  disk.full = true;
  const added = engine.addBlocks(blocks.slice(10), 'sync');
  await once(engine, 'room');
  expect(engine.tip().height).toBe(10);
  await expect(engine.addBlocks(blocks.slice(10, 11), 'submit')).rejects.toThrow(ChainPaused);
  expect(await engine.compactStep()).toMatchObject({ done: true });
  disk.full = false;
  expect((await added).map(({ code }) => code)).toEqual(blocks.slice(10).map(() => 'ADDED_TO_MAIN'));
  expect(told).toEqual(['the disk is full', undefined]);
  await engine.stop();
  await digestOf(directory, 'devnet');
});

test('a stop does not wait for room', async () => {
  const { directory, disk, engine } = bench();
  disk.full = true;
  const added = engine.addBlocks(blocks, 'sync');
  await once(engine, 'room');
  await Promise.all([engine.stop(), expect(added).rejects.toThrow('the chain engine has stopped')]);
  await digestOf(directory, 'devnet');
});

test('a watch tells when space gets short and when there is enough again, and not at each look', () => {
  const told: string[] = [];
  let free = 100;
  const watch = new FreeSpaceWatch({ folder: '/', least: 64, read: () => free });
  watch.on('begin', (bytes) => told.push(`begin ${bytes}`)).on('end', (bytes) => told.push(`end ${bytes}`));
  for (free of [100, 64, 63, 10, 64, 67, 68, 100, 0]) watch.look();
  expect(told).toEqual(['begin 63', 'end 68', 'begin 0']);
  expect(watch.isLow).toBe(true);
});
