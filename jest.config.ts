import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

const config: Config = {
  // Whole services wait for each other: half as many workers again as there are processors keep them busy.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  passWithNoTests: true,
  // Of the whole run: a project's own counts only when it runs alone.
  testTimeout: 90_000,
  projects: [
    '<rootDir>/packages/*/jest.config.js',
    '<rootDir>/apps/*/jest.config.js',
    '<rootDir>/docs/jest.config.js',
    '<rootDir>/scripts/jest.config.js',
  ],
};

export default config;
