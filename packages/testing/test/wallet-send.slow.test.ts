import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { OTHER_HEIGHTS, sendsAt } from './support/age-sends';
import { Suite } from '../src';

/* Sends of every kind at the heights that the fast tests omit. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
afterAll(() => suite.stopAll());

test.each(OTHER_HEIGHTS)('at height %d', (height) => sendsAt(suite, height));
