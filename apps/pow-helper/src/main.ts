#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { assertPortsFree, runMain } from '@wrkz/service-kit';
import { readPowHelperConfig } from './config';
import { powListenAddresses } from './http';
import { PowHelper } from './pow-helper';

runMain(async () => {
  const config = readPowHelperConfig(process.argv.slice(2));
  // The log file is the first thing that is created.
  await assertPortsFree(powListenAddresses(config, config.options['bind-port']));
  return PowHelper.create(config);
});
