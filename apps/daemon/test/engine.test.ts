import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChainDb } from '@wrkz/chain-db';
import { Checkpoints } from '@wrkz/consensus';
import { networkOf } from '@wrkz/core-types';
import { chainA, chainAHeaders } from '@wrkz/testing';
import { ChainEngine } from '../src/chain/engine';

describe('the engine', () => {
  it('takes chain A', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'wrkz-engine-'));
    const db = openChainDb({ directory, network: 'devnet' });
    const engine = new ChainEngine({ db, network: networkOf('devnet'), checkpoints: Checkpoints.none, now: () => 1.8e9 });
    const start = performance.now();
    const results = await engine.addBlocks(chainA().slice(1), 'import');
    console.log(performance.now() - start, results.length, results.at(-1));
    expect(engine.tip().hash.toString('hex')).toBe(chainAHeaders().at(-1)?.hash);
    await engine.stop();
    rmSync(directory, { recursive: true });
  });
});
