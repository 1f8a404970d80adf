import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { collidesWithChain } from '../src';
import { cleanUp, freshDirectory } from './support/directories';

afterAll(cleanUp);

test('recognizes paths that collide with the files of the chain, also through links', () => {
  const directory = freshDirectory();
  const link = join(freshDirectory(), 'link');
  symlinkSync(directory, link);
  mkdirSync(join(directory, 'repair'));
  mkdirSync(join(directory, 'mine'));
  for (const name of [
    'chain.sqlite',
    'chain.sqlite-wal',
    'chain.lock',
    'repair/x',
    'repair',
    'snapshot-import',
    'damaged-2',
  ])
    expect([name, collidesWithChain(directory, join(link, name))]).toEqual([name, true]);
  for (const name of ['backup.sqlite', 'mine/chain.sqlite', '../chain.sqlite', 'repaired'])
    expect([name, collidesWithChain(link, join(directory, name))]).toEqual([name, false]);
});
