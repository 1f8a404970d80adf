import { silentLogger } from '@wrkz/service-kit';
import { Suite } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';

/** Whole daemons with a silent logger. */
export const newSuite = (): Suite<Daemon> =>
  new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
