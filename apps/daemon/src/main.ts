import '@wrkz/service-kit/early-signals';
import { assertPortsFree, runMain } from '@wrkz/service-kit';
import { listenAddresses, readConfig } from './config/config';
import { Daemon } from './daemon';

runMain(async (control) => {
  const config = readConfig(process.argv.slice(2));
  // The log file is the first thing that is created.
  await assertPortsFree(listenAddresses(config));
  return Daemon.create(config, { control });
});
