import { daemonApi } from '@wrkz/api';
import { refuse } from '../errors';
import type { Query } from './query';

export interface OutputIndexesQuery {
  readonly hash: Buffer;
}

/** The body of `/get_o_indexes`. */
export const outputIndexes: Query<OutputIndexesQuery> = {
  isHeavy: () => false,
  answer: ({ reader }, { hash }) => {
    const indexes = reader.outputIndexes(hash);
    if (indexes === undefined) throw refuse(daemonApi.refusals.noOutputIndexes);
    return Buffer.from(`{"o_indexes":[${indexes.join(',')}],"status":"OK"}`, 'latin1');
  },
};
