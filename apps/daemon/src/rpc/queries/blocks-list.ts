import { daemonApi } from '@wrkz/api';
import { CorruptDatabase } from '@wrkz/chain-db';
import { stringifyJson } from '@wrkz/service-kit/base';
import { orRefuseBelowFloor } from '../below-floor';
import { refuse } from '../errors';
import { blockRow } from '../records/block-row';
import type { Query } from './query';

export interface BlocksListQuery {
  /** An index. */
  readonly height: number;
}

/** Rows below the one that was asked for. */
const ROWS_BELOW = 30;

/** The result of `f_blocks_list_json`. Whole blocks are read for their size, one after the other. */
export const blocksList: Query<BlocksListQuery> = {
  isHeavy: () => true,
  answer: ({ reader, throwIfGone }, { height }) =>
    orRefuseBelowFloor(daemonApi.rpcErrors.blockBelowFloor, () =>
      reader.snapshot(() => {
        const top = reader.tip().height;
        if (height > top) throw refuse(daemonApi.rpcErrors.heightTooBig, { height: String(top) });
        const lowest = Math.max(0, height - ROWS_BELOW);
        const blocks = reader.factsRange(lowest, height + 1).map((facts) => {
          throwIfGone();
          const raw = reader.rawBlock(facts.height);
          if (raw === undefined) throw new CorruptDatabase(`block ${facts.height} is missing`);
          return blockRow(raw, facts);
        });
        return Buffer.from(stringifyJson({ blocks: blocks.reverse(), status: 'OK' }), 'latin1');
      }),
    ),
};
