import { join } from 'node:path';
import { optionCoverage } from '@wrkz/testing';
import { WALLET_RPC_OPTIONS } from '../../src';
import { GENERAL } from '../support/exercises';

test('every option is used in a test that names it with exercises() (test/support/exercises.ts)', () => {
  const names = [...WALLET_RPC_OPTIONS.map(({ name }) => name), ...GENERAL];
  expect(optionCoverage(join(__dirname, '..'), names)).toEqual({ missing: [], wrong: [] });
});
