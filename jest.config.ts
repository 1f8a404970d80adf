/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const config: Config = {
  maxWorkers: '100%',
  passWithNoTests: true,
  // Of the whole run: a project's own counts only when it runs alone.
  testTimeout: 30_000,
  projects: ['<rootDir>/packages/*/jest.config.ts', '<rootDir>/apps/*/jest.config.ts'],
};

export default config;
