#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { assertPortsFree, NAMED_LOG_SCALE, parseLogLevel, runMain } from '@wrkz/service-kit';
import { readPowHelperConfig } from './config';
import { powListenAddresses } from './http';
import { PowHelper } from './pow-helper';

const readConfig = () => readPowHelperConfig(process.argv.slice(2));

runMain(
  async () => {
    const config = readConfig();
    // Check the ports before anything is created.
    await assertPortsFree(powListenAddresses(config, config.options['bind-port']));
    return new PowHelper(config);
  },
  { logLevel: () => parseLogLevel(readConfig().options['log-level'], NAMED_LOG_SCALE) },
);
