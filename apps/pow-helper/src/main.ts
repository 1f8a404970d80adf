#!/usr/bin/env node
import '@wrkz/service-kit/early-signals';
import { runMain } from '@wrkz/service-kit';
import { readPowHelperConfig } from './config';
import { PowHelper } from './pow-helper';

runMain(() => PowHelper.create(readPowHelperConfig(process.argv.slice(2))));
