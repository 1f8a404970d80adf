/**
 * Runs Stryker with the settings of a file. Its command-line program asks for a library that needs a newer Node.js than
 * the suite supports, for questions that nobody asks here; the class behind it does not.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { tool } from '../lib/workspace.mjs';

const { Stryker } = await import(pathToFileURL(tool('@stryker-mutator/core/dist/src/stryker.js')).href);
const [, , settings] = process.argv;
await new Stryker({ ...JSON.parse(readFileSync(settings, 'utf8')), configFile: settings }).runMutationTest();
