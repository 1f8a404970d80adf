import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

const config: Config = {
  // Whole services wait for each other: half as many workers again as there are processors keep them busy.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  passWithNoTests: true,
  projects: ['packages/*', 'apps/*', 'docs', 'scripts'].map((folder) => `<rootDir>/${folder}/jest.config.js`),
};

export default config;
