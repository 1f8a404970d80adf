import '@wrkz/service-kit/early-signals';
import { runMain } from '@wrkz/service-kit';
import { readConfig } from './config/config';
import { Daemon } from './daemon';

runMain((control) => Daemon.create(readConfig(process.argv.slice(2)), { control }));
