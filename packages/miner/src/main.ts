#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { runMain } from '@wrkz/service-kit';
import { readMinerConfig } from './config';
import { MiningProgram } from './mining-program';

runMain(() => {
  const config = readMinerConfig(process.argv.slice(2));
  // Fail at the start if the native module is missing.
  cpuFeatures();
  return new MiningProgram(config);
});
