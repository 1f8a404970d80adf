import { daemonApi } from '@wrkz/api';
import type { ChainReader } from '@wrkz/chain-db';
import { REWARD_BLOCKS_WINDOW } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit/base';
import { orRefuseBelowFloor } from '../below-floor';
import { refuse } from '../errors';
import { explorerBlock } from '../records/explorer-block';
import type { Query } from './query';

/** A main-chain block by its hash or its index; the index may be any safe integer. */
export type ExplorerBlockQuery = { readonly hash: Buffer } | { readonly height: number };

/** The result of `f_block_json`. */
export const explorerBlockQuery: Query<ExplorerBlockQuery> = {
  isHeavy: () => false,
  answer: ({ reader, network }, query) =>
    orRefuseBelowFloor(daemonApi.rpcErrors.blockBelowFloor, () =>
      reader.snapshot(() => {
        const top = reader.tip().height;
        const height = 'hash' in query ? reader.heightOf(query.hash) : indexOf(query.height, top);
        const facts = height === undefined ? undefined : reader.facts(height);
        const raw = facts && reader.rawBlock(facts.height);
        if (facts === undefined || raw === undefined) throw refuse(daemonApi.rpcErrors.blockUnknown);
        const block = explorerBlock({ network, raw, facts, before: blocksBefore(reader, facts.height), top });
        const { penalty, ...others } = block;
        // A number with a fraction stays one, also when that is 0: readers with types may insist.
        const fraction = Number.isInteger(penalty) ? `${penalty}.0` : String(penalty);
        const text = stringifyJson(others);
        return Buffer.from(`{"block":{"penalty":${fraction},${text.slice(1)},"status":"OK"}`, 'latin1');
      }),
    ),
};

function indexOf(height: number, top: number): number {
  if (height >= 0 && height <= top) return height;
  throw refuse(daemonApi.rpcErrors.hashHeightTooBig, { height: String(top) });
}

function blocksBefore(reader: ChainReader, height: number): ReturnType<ChainReader['factsRange']> {
  return reader.factsRange(Math.max(0, height - REWARD_BLOCKS_WINDOW), height);
}
