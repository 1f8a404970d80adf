import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { runInSlices } from '@wrkz/service-kit/base';
import { decodeContent } from '../../src/container/decode';
import { contentText, readContainer } from '../../src/container/encrypted-file';
import { previousName } from '../../src/container/file-io';
import type { WalletContent } from '../../src/ledger/model';
import { runProgram } from './child';
import { containerOf } from './container-bytes';
import { walletAt } from './contents';
import { fresh } from './folder';

/** Transaction keys of the largest version: some megabytes, so that a kill meets the writing. */
const KEYS = 20_000;

/** Kills the saving program so many times, each at a random moment after a save; what it said was saved must be there. */
export async function killSavers(times: number, random: () => number): Promise<void> {
  const file = fresh('a.wallet');
  writeFileSync(file, containerOf('secret', contentText(walletAt(0))));
  for (let i = 0; i < times; i++) {
    const program = runProgram('save.ts', [file, String(KEYS)]);
    let said = Number(await program.line());
    const until = performance.now() + random() * 300;
    while (performance.now() < until) said = Number(await program.line());
    await wait(random() * 30);
    program.kill();
    expect(await program.ended).toBe('SIGKILL');
    // The loop has read no further; what was saved after that line may be there, too.
    const content = await contentOf(file);
    expect(content.startHeight).toBeGreaterThanOrEqual(said);
    expect(content.transactionKeys).toHaveLength(1 + ((content.startHeight * 7919) % KEYS));
    // A kill between its renaming and that of the new version leaves the current one under both names.
    const previous = await contentOf(previousName(file));
    expect(content.startHeight - previous.startHeight).toBeLessThanOrEqual(1);
    expect(previous.transactionKeys).toHaveLength(1 + ((previous.startHeight * 7919) % KEYS));
  }
}

async function contentOf(file: string): Promise<WalletContent> {
  return runInSlices(decodeContent(await readContainer(file, 'secret')));
}
