#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import {
  assertPortsFree,
  EarlyExit,
  listenerAddresses,
  NAMED_LOG_SCALE,
  parseLogLevel,
  runMain,
} from '@wrkz/service-kit';
import { runAdmin } from './admin/run';
import { parseCommandLine, proposalsConfig, readProposalsConfig } from './config';
import { Proposals } from './proposals';

const argv = process.argv.slice(2);

runMain(
  async () => {
    const parsed = parseCommandLine(argv);
    if (parsed.command !== undefined) throw new EarlyExit(runAdmin(parsed), 0);
    const config = proposalsConfig(parsed);
    // Check the ports before anything is created.
    await assertPortsFree(listenerAddresses(config.options));
    return new Proposals(config);
  },
  { logLevel: () => parseLogLevel(readProposalsConfig(argv).options['log-level'], NAMED_LOG_SCALE) },
);
