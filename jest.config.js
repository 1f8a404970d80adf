'use strict';

module.exports = {
  maxWorkers: '100%',
  passWithNoTests: true,
  // Of the whole run: a project's own counts only when it runs alone.
  testTimeout: 30_000,
  projects: ['<rootDir>/packages/*/jest.config.js', '<rootDir>/apps/*/jest.config.js'],
};
