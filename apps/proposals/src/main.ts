#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { assertPortsFree, EarlyExit, parseLogLevel, runMain } from '@wrkz/service-kit';
import { runAdmin } from './admin/run';
import { proposalsConfig } from './config';
import { proposalsListenAddresses } from './http';
import { LEVELS } from './options';
import { parseProgram, readProposalsConfig } from './program';
import { Proposals } from './proposals';

const argv = process.argv.slice(2);

runMain(
  async () => {
    const parsed = parseProgram(argv);
    if (parsed.command !== undefined) throw new EarlyExit(runAdmin(parsed), 0);
    const config = proposalsConfig(parsed.values, parsed);
    // The log file is the first thing that is created.
    await assertPortsFree(proposalsListenAddresses(config, config.options['bind-port']));
    return Proposals.create(config);
  },
  { logLevel: () => parseLogLevel(readProposalsConfig(argv).options['log-level'], LEVELS) },
);
