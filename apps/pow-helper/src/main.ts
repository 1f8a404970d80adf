#!/usr/bin/env node
import { runMain } from '@wrkz/service-kit';
import { readOptions } from './options';
import { PowHelper } from './pow-helper';

runMain(() => new PowHelper(readOptions(process.argv.slice(2))));
