import { join } from 'node:path';
import { silentLogger } from '@wrkz/service-kit';
import { Suite, type WholeDaemon, writeChainADump } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon, type Overrides } from '../../src/daemon';

/** A daemon that says nothing. */
export function makeDaemon(args: readonly string[], overrides: Overrides = {}): WholeDaemon {
  return Daemon.create(readConfig(args), { logger: silentLogger(), ...overrides });
}

export const newSuite = (): Suite => new Suite(makeDaemon);

/** A data folder that holds chain A, imported from a dump. */
export async function importChainA(suite: Suite): Promise<string> {
  const folder = suite.folder();
  const dump = join(suite.folder(), 'chain-a.dump');
  writeChainADump(dump);
  const code = await suite.run(folder, ['--import-blockchain', '--dump-file', dump]);
  if (code !== 0) throw new Error(`the import ended with code ${String(code)}`);
  return folder;
}
