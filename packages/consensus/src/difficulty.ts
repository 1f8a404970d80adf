import type { Network } from '@wrkz/core-types';
import { legacyBlocks, legacyDifficulty } from './legacy-difficulty';
import { LWMA_BLOCKS, lwmaDifficulty, minLwmaDifficulty } from './lwma';
import type { BlockFacts, ChainView } from './view';

/**
 * The difficulty of the block after `parentHeight` (docs/protocol/difficulty-and-reward.md#difficulty: the rule is
 * that of the parent's index; genesis is never in the window).
 *
 * @returns 0 if no block can follow
 */
export function nextDifficulty(network: Network, parentHeight: number, view: Pick<ChainView, 'window'>): bigint {
  if (network.fixedDifficulty !== undefined) return network.fixedDifficulty;
  const { difficultyRule } = network.rulesAt(parentHeight);
  const { blockVersion } = network.rulesAt(parentHeight + 1);
  const count = difficultyRule === 'legacy' ? legacyBlocks(blockVersion) : LWMA_BLOCKS;
  return difficultyAfter(
    difficultyRule,
    blockVersion,
    parentHeight,
    view.window(parentHeight, Math.min(count, parentHeight)),
  );
}

/**
 * A lower bound of the difficulty at this index, for callers that do not have the previous blocks: a fixed difficulty, or a small
 * fraction of the lowest one recorded for the block version (docs/protocol/wallet-sync.md#raw-blocks). From version 5 on only a
 * network with the hash rate of one processor core could have a lower difficulty.
 */
export function lowestDifficulty(network: Network, height: number): bigint {
  if (network.fixedDifficulty !== undefined) return network.fixedDifficulty;
  const { blockVersion } = network.rulesAt(height);
  if (blockVersion < 4) return 1n;
  return blockVersion === 4 ? 1_000n : 100_000n;
}

/**
 * A lower bound of the difficulty of the block after `parent`, for callers that know no other block of its branch: under the LWMA
 * rules it falls by at most a third per block. 0 if there is none.
 */
export function minDifficultyAfter(network: Network, parent: Pick<BlockFacts, 'height' | 'difficulty'>): bigint {
  if (network.fixedDifficulty !== undefined) return network.fixedDifficulty;
  // In a chain too short for a window the difficulty is a constant.
  if (parent.height <= LWMA_BLOCKS || network.rulesAt(parent.height).difficultyRule === 'legacy') return 0n;
  return minLwmaDifficulty(parent.difficulty);
}

/** `nextDifficulty` for given blocks, oldest first, without genesis. */
export function difficultyAfter(
  rule: 'legacy' | 'lwma4' | 'lwma5',
  majorVersion: number,
  parentHeight: number,
  blocks: readonly Pick<BlockFacts, 'timestamp' | 'cumulativeDifficulty'>[],
): bigint {
  const timestamps = blocks.map((block) => block.timestamp);
  const cumulative = blocks.map((block) => block.cumulativeDifficulty);
  return rule === 'legacy'
    ? legacyDifficulty(majorVersion, parentHeight, timestamps, cumulative)
    : lwmaDifficulty(rule, timestamps, cumulative);
}
