import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { runInSlices } from '@wrkz/service-kit/base';
import { decodeContent } from '../../src/container/content';
import { contentText, readContainer } from '../../src/container/encrypted-file';
import { previousName } from '../../src/container/file-io';
import type { WalletContent } from '../../src/ledger/model';
import { runProgram } from './child';
import { containerOf } from './container-bytes';
import { walletAt } from './contents';
import { fresh } from './folder';

/** Transaction keys of the largest version: a few megabytes, so that a kill is likely during a write. */
const KEYS = 20_000;

/** Kills the program `save.ts` several times at a random moment; the versions that it reported must be saved. */
export async function killSavers(times: number, random: () => number): Promise<void> {
  const file = fresh('a.wallet');
  writeFileSync(file, containerOf('secret', contentText(walletAt(0))));
  for (let i = 0; i < times; i++) {
    const program = runProgram('save.ts', [file, String(KEYS)]);
    let reported = Number(await program.line());
    const until = performance.now() + random() * 300;
    while (performance.now() < until) reported = Number(await program.line());
    await wait(random() * 30);
    program.kill();
    expect(await program.ended).toBe('SIGKILL');
    // A later version may be saved as well: the loop has not read all lines.
    const content = await contentOf(file);
    expect(content.startHeight).toBeGreaterThanOrEqual(reported);
    expect(content.transactionKeys).toHaveLength(1 + ((content.startHeight * 7919) % KEYS));
    // A kill between the two renames leaves the current version under both names.
    const previous = await contentOf(previousName(file));
    expect(content.startHeight - previous.startHeight).toBeLessThanOrEqual(1);
    expect(previous.transactionKeys).toHaveLength(1 + ((previous.startHeight * 7919) % KEYS));
  }
}

async function contentOf(file: string): Promise<WalletContent> {
  return runInSlices(decodeContent(await readContainer(file, 'secret')));
}
