import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REASONS, RuleFailure, type ReasonCode } from '@wrkz/consensus';

/** Reasons that no rule of this package gives, and who does. */
const ELSEWHERE: Partial<Record<ReasonCode, string>> = {
  A1: 'a success of the chain engine',
  A2: 'a success of the chain engine',
  A3: 'a success of the chain engine',
  A4: 'a success of the chain engine, which knows the stored blocks',
  B11: 'submitblock, which knows the pool',
  T8: 'the reference when its database cannot be read; an unknown index is simply not found (T26)',
};

const sources = readdirSync(__dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(__dirname, name), 'utf8'));

const tested = new Set(
  sources.flatMap((text) => [...text.matchAll(/refuses\('([ABT]\d+)'/g)].map((match) => match[1])),
);

test.each(Object.keys(REASONS) as ReasonCode[])('%s is provoked by a test', (code) => {
  expect(tested.has(code) || ELSEWHERE[code] !== undefined).toBe(true);
});

test('what is said to come from elsewhere is not provoked here', () => {
  expect(Object.keys(ELSEWHERE).filter((code) => tested.has(code))).toEqual([]);
});

test('a refusal tells the text that clients know, and what it is held against a peer', () => {
  const failure = new RuleFailure('B13', { transactionHash: Buffer.alloc(32), detail: '2 in place of 3' });
  expect(failure.message).toBe('Block contains inconsisten transaction hashes');
  expect(failure.banScore).toBe(100);
  expect(new Set(Object.values(REASONS).map((reason) => reason.text)).size).toBe(Object.keys(REASONS).length);
});
