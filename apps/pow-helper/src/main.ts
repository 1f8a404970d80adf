#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { assertPortsFree, listenerAddresses, NAMED_LOG_SCALE, parseLogLevel, runMain } from '@wrkz/service-kit';
import { readPowHelperConfig } from './config';
import { PowHelper } from './pow-helper';

const readConfig = () => readPowHelperConfig(process.argv.slice(2));

runMain(
  async () => {
    const config = readConfig();
    // Check the ports before anything is created.
    await assertPortsFree(listenerAddresses(config.options));
    return new PowHelper(config);
  },
  { logLevel: () => parseLogLevel(readConfig().options['log-level'], NAMED_LOG_SCALE) },
);
