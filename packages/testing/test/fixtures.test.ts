import { existsSync } from 'node:fs';
import { chainA, CHAIN_A_HEIGHT, chainAHeaders, fixturePath } from '../src';

test('the recorded files exist and are complete', () => {
  for (const name of ['devnet/chain-a.jsonl', 'mainnet/primitives.txt', 'rpc', 'vectors', 'wallet']) {
    expect([name, existsSync(fixturePath(name))]).toEqual([name, true]);
  }
  expect(chainA()).toHaveLength(CHAIN_A_HEIGHT + 1);
  expect(chainAHeaders()).toHaveLength(CHAIN_A_HEIGHT + 1);
});
