/**
 * Runs Stryker with the settings of a file. Stryker's command-line program imports a library for prompts that needs a
 * newer Node.js than the suite supports; its class does not.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { tool } from '../lib/workspace.mjs';

const { Stryker } = await import(pathToFileURL(tool('@stryker-mutator/core/dist/src/stryker.js')).href);
const [, , settings] = process.argv;
await new Stryker({ ...JSON.parse(readFileSync(settings, 'utf8')), configFile: settings }).runMutationTest();
