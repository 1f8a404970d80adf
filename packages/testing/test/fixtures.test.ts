import { existsSync } from 'node:fs'; test('fixtures are there', () => { expect(existsSync(require('@wrkz/testing/fixtures').fixturePath('devnet/chain-a.jsonl'))).toBe(true); });
