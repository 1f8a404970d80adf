'use strict';

const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  // Whole services wait for each other: half as many workers again as there are processors keep them busy.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  passWithNoTests: true,
  // Of the whole run: a project's own counts only when it runs alone.
  testTimeout: 90_000,
  projects: ['packages/*', 'apps/*', 'docs', 'scripts'].map((folder) => `<rootDir>/${folder}/jest.config.js`),
};
