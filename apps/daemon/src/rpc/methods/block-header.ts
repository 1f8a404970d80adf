import { daemonApi } from '@wrkz/api';
import type { BlockFacts } from '@wrkz/consensus';
import { parseBlock, type RawBlock, reportedBlockBytes } from '@wrkz/core-types';
import type { z } from 'zod';
import { orRefuseBelowFloor } from '../below-floor';
import type { RpcContext } from '../ports';

/** The `block_header` of the header methods. */
export type BlockHeader = z.output<typeof daemonApi.blockHeaderObject>;

/** The header of a block. `height` is an index, `depth` the distance from the tip. */
export function blockHeader(raw: RawBlock, facts: BlockFacts, topHeight: number, orphan: boolean): BlockHeader {
  const { block } = parseBlock(raw.block);
  return {
    block_size: reportedBlockBytes(block, raw.transactions),
    depth: topHeight - facts.height,
    difficulty: facts.difficulty,
    hash: facts.hash.toString('hex'),
    height: facts.height,
    major_version: block.majorVersion,
    minor_version: block.minorVersion,
    nonce: block.nonce,
    num_txes: block.transactionHashes.length + 1,
    orphan_status: orphan,
    prev_hash: block.previousHash.toString('hex'),
    reward: block.coinbase.outputs.reduce((sum, output) => sum + output.amount, 0n),
    timestamp: block.timestamp,
  };
}

/** The header of the main-chain block at `height`, or undefined above the tip. @throws Error as a refusal where its bytes are not kept */
export function mainChainHeader({ reader }: RpcContext, height: number): BlockHeader | undefined {
  return reader.snapshot(() => {
    const facts = reader.facts(height);
    const raw = facts && orRefuseBelowFloor(daemonApi.rpcErrors.blockBelowFloor, () => reader.rawBlock(height));
    return facts && raw && blockHeader(raw, facts, reader.tip().height, false);
  });
}
