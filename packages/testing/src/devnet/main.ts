import '@wrkz/service-kit/early-signals';
import { runMain } from '@wrkz/service-kit';
import { DevnetCommand, readDevnetOptions } from './command';

/** The services are stopped one after the other. */
const STOP_DEADLINE_MS = 120_000;

runMain((control) => new DevnetCommand(readDevnetOptions(process.argv.slice(2)), control), {
  stopDeadlineMs: STOP_DEADLINE_MS,
});
