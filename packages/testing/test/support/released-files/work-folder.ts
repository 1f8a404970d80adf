import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { Suite } from '../../../src';

/** The clock of the programs that write the files of a release, Unix milliseconds. */
export const RELEASE_TIME_MS = 1_700_100_000_000;

export type NodeSuite = Suite<Daemon>;

export function nodeSuite(): NodeSuite {
  return new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
}

/** Runs work with a temporary folder and removes the folder. */
export async function inWorkFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-released-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
