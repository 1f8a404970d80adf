import { silentLogger } from '@wrkz/service-kit';
import { Suite } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';

/** Whole daemons that say nothing. */
export const newSuite = (): Suite<Daemon> =>
  new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
