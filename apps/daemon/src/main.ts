import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, runMain } from '@wrkz/service-kit';
import { listenAddresses, readConfig } from './config/config';
import { Daemon } from './daemon';

runMain(async (control) => {
  const config = readConfig(process.argv.slice(2));
  // The native module is loaded now, and not in the middle of the first flood; a machine without it is told at once.
  cpuFeatures();
  // The log file is the first thing that is created.
  await assertPortsFree(listenAddresses(config));
  return Daemon.create(config, { control });
});
