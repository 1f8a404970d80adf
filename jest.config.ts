/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const config: Config = {
  maxWorkers: '100%',
  passWithNoTests: true,
  projects: ['<rootDir>/packages/*/jest.config.ts', '<rootDir>/apps/*/jest.config.ts'],
};

export default config;
