#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { assertPortsFree, EarlyExit, runMain } from '@wrkz/service-kit';
import { runAdmin } from './admin/run';
import { proposalsConfig } from './config';
import { proposalsListenAddresses } from './http';
import { parseProgram } from './program';
import { Proposals } from './proposals';

runMain(async () => {
  const parsed = parseProgram(process.argv.slice(2));
  if (parsed.command !== undefined) throw new EarlyExit(runAdmin(parsed), 0);
  const config = proposalsConfig(parsed.values, parsed);
  // The log file is the first thing that is created.
  await assertPortsFree(proposalsListenAddresses(config, config.options['bind-port']));
  return Proposals.create(config);
});
