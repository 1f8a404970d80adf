import { RuleFailure, VerifiedBlock, runProofs, verifyBlock } from '@wrkz/consensus';
import { chainAHeaders } from '@wrkz/testing/fixtures';
import { chainA, stagedChainA } from './chain-a';

const headers = chainAHeaders();

test('every value of every block equals that of the reference', () => {
  const staged = stagedChainA();
  expect(staged.length).toBe(720);
  let coins = BigInt(headers[0]!.alreadyGeneratedCoins);
  for (const { facts, block, fees, reward, baseReward, sizeMedian, transactions } of staged) {
    const header = headers[facts.height]!;
    expect({
      height: facts.height,
      hash: facts.hash.toString('hex'),
      prev_hash: block.block.previousHash.toString('hex'),
      major_version: facts.majorVersion,
      minor_version: facts.minorVersion,
      timestamp: facts.timestamp,
      difficulty: Number(facts.difficulty),
      reward: Number(reward),
      num_txes: transactions.length + 1,
      transactionsCumulativeSize: facts.size,
      alreadyGeneratedCoins: facts.generatedCoins.toString(),
      alreadyGeneratedTransactions: facts.generatedTransactions,
      sizeMedian,
      baseReward: Number(baseReward),
      totalFeeAmount: Number(fees),
    }).toEqual(Object.fromEntries(Object.entries(header).filter(([name]) => REPORTED.has(name))));
    expect(facts.cumulativeDifficulty).toBe(BigInt(facts.height) * 10n + 1n);
    // The penalty of block 706 is burnt: the supply grows by the reward of the miner less the fees.
    expect(facts.generatedCoins - coins).toBe(reward - fees);
    coins = facts.generatedCoins;
  }
});

const REPORTED = new Set([
  'height',
  'hash',
  'prev_hash',
  'major_version',
  'minor_version',
  'timestamp',
  'difficulty',
  'reward',
  'num_txes',
  'transactionsCumulativeSize',
  'alreadyGeneratedCoins',
  'alreadyGeneratedTransactions',
  'sizeMedian',
  'baseReward',
  'totalFeeAmount',
]);

test('every proof of every block is valid: work, ring signatures, key images, keys', async () => {
  const proofs = stagedChainA().flatMap((block) => block.proofs);
  const verdicts = await runProofs(proofs);
  expect(verdicts).not.toContain(false);

  const count = (kind: string): number => proofs.filter((proof) => proof.kind === kind).length;
  const inputs = chainA().flatMap(({ transactions }) => transactions.flatMap((one) => one.transaction.inputs));
  expect(count('pow')).toBe(720);
  expect(count('ring')).toBe(inputs.length);
  expect(count('keyImage')).toBe(inputs.length);
  expect(count('txPow')).toBeGreaterThan(100);

  let place = 0;
  for (const block of stagedChainA()) {
    const verified = verifyBlock(block, verdicts.slice(place, place + block.proofs.length));
    expect(verified).toBeInstanceOf(VerifiedBlock);
    place += block.proofs.length;
  }
});

test('a failed proof rejects its block and reports the transaction', () => {
  const block = stagedChainA().find((one) => one.transactions.length > 1)!;
  const place = block.proofs.findIndex((proof) => proof.kind === 'ring');
  const verdict = verifyBlock(
    block,
    block.proofs.map((_, i) => i !== place),
  );
  expect(verdict).toBeInstanceOf(RuleFailure);
  expect(verdict).toMatchObject({
    code: 'INPUT_INVALID_SIGNATURES',
    transactionHash: block.proofs[place]!.transaction!.hash,
  });
});
