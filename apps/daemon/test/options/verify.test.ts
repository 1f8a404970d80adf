import { openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { Checkpoints } from '@wrkz/consensus';
import { chainA, nodeArguments } from '@wrkz/testing';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src';
import { verifyAction } from '../../src/actions/repair';
import type { Screen } from '../../src/console/terminal/screen';
import { ChainEngine } from '../../src/chain/engine';
import { NOW } from '../support/engine';
import { exercises } from '../support/exercises';
import { temporaryDirectory } from '../support/temporary';

exercises('verify');

type Mode = 'full' | 'pruned' | 'lite';
const FLOOR = 15;

/** The data directory of a node with the first blocks of chain A. */
async function dataOf(mode: Mode): Promise<string> {
  const data = temporaryDirectory();
  const directory = join(data, 'devnet');
  mkdirSync(directory);
  const db = openChainDb({ directory, network: 'devnet', lite: mode === 'lite' ? FLOOR : undefined });
  const network = networkOf('devnet');
  const engine = new ChainEngine({ db, network, checkpoints: Checkpoints.none, now: () => NOW });
  await engine.addBlocks(chainA().slice(1, 31), 'sync', false);
  while (mode === 'pruned' && db.writer?.pruneStep(FLOOR).done === false);
  await engine.stop();
  return data;
}

/** Output, report and exit code of `--verify`. */
async function run(data: string, ...args: string[]): Promise<{ code: number; text: string; reported: string }> {
  let [text, reported] = ['', ''];
  const screen = {
    isTerminal: false,
    write: (line: string) => (text += line),
    status: () => undefined,
  } as unknown as Screen;
  const config = readConfig([...nodeArguments('devnet', data), '--verify', ...args]);
  const code = await verifyAction({
    config,
    screen,
    notice: (line) => (reported += `${line}\n`),
    signal: new AbortController().signal,
  });
  return { code, text, reported };
}

test('prints both digests of a full database, and the rules digest of a pruned or lite one', async () => {
  const rules = new Set<string | undefined>();
  for (const mode of ['full', 'pruned', 'lite'] as const) {
    const data = await dataOf(mode);
    const { code, text, reported } = await run(data);
    const digests = /^31 blocks, no problem found\n(digest [0-9a-f]{64}\n)?rules digest ([0-9a-f]{64})\n$/.exec(text);
    expect([mode, code, digests?.[1] !== undefined]).toEqual([mode, 0, mode === 'full']);
    rules.add(digests?.[2]);
    expect(reported).toContain(`Verifying a ${mode} database`);
  }
  expect([...rules]).toEqual([expect.stringMatching(/./)]);
});
