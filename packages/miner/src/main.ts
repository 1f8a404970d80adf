#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { runMain } from '@wrkz/service-kit';
import { readMinerConfig } from './config';
import { MiningProgram } from './mining-program';

runMain(() => {
  const config = readMinerConfig(process.argv.slice(2));
  // A machine without the native module is told at once.
  cpuFeatures();
  return MiningProgram.create(config);
});
