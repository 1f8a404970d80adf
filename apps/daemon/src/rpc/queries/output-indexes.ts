import { daemonApi } from '@wrkz/api';
import { refuseBelowFloor } from '../below-floor';
import { refuse } from '../errors';
import type { Query } from './query';

export interface OutputIndexesQuery {
  readonly hash: Buffer;
}

/** The body of `/get_o_indexes`. On a lite node a transaction that is not found may stand below its height. */
export const outputIndexes: Query<OutputIndexesQuery> = {
  isHeavy: () => false,
  answer: ({ reader }, { hash }) => {
    const indexes = reader.outputIndexes(hash);
    if (indexes === undefined) {
      const { lite } = reader.floors();
      if (lite !== undefined) throw refuseBelowFloor(daemonApi.refusals.belowFloor, { mode: 'lite', floor: lite });
      throw refuse(daemonApi.refusals.noOutputIndexes);
    }
    return Buffer.from(`{"o_indexes":[${indexes.join(',')}],"status":"OK"}`, 'latin1');
  },
};
