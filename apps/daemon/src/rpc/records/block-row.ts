import type { daemonApi } from '@wrkz/api';
import type { BlockFacts } from '@wrkz/consensus';
import { decodeBlock, type RawBlock, reportedBlockBytes } from '@wrkz/core-types';
import type { z } from 'zod';

/** A main-chain block in one line of the explorer's list. */
export function blockRow(raw: RawBlock, facts: BlockFacts): z.output<typeof daemonApi.blockRowObject> {
  return {
    cumul_size: reportedBlockBytes(decodeBlock(raw.block), raw.transactions),
    difficulty: facts.difficulty,
    hash: facts.hash.toString('hex'),
    height: facts.height,
    timestamp: BigInt(facts.timestamp),
    tx_count: raw.transactions.length + 1,
  };
}
