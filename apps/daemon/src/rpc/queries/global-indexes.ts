import { daemonApi } from '@wrkz/api';
import { orRefuseBelowFloor } from '../below-floor';
import { JsonBuffer } from './json-buffer';
import { refuseTooLarge } from './limits';
import type { Query } from './query';

/** Block indexes, the end not included. */
export interface GlobalIndexesQuery {
  readonly start: number;
  readonly end: number;
}

const LIGHT_BLOCKS = 100;
/** Blocks that are read at once. */
const STRIDE = 64;

/** The body of `/get_global_indexes_for_range`: one entry a transaction, coinbase first. */
export const globalIndexes: Query<GlobalIndexesQuery> = {
  isHeavy: ({ start, end }) => end - start > LIGHT_BLOCKS,
  answer: ({ reader, throwIfGone }, { start, end }) =>
    orRefuseBelowFloor(daemonApi.refusals.belowFloor, () =>
      reader.snapshot(() => {
        const out = new JsonBuffer();
        out.text('{"indexes":[');
        let separator = '';
        const stop = Math.min(end, reader.tip().height + 1);
        for (let from = start; from < stop; from += STRIDE) {
          throwIfGone();
          for (const { hash, indexes } of reader.globalIndexesRange(from, Math.min(from + STRIDE, stop))) {
            out
              .text(`${separator}{"key":"`)
              .hex(hash)
              .text(`","value":[${indexes.join(',')}]}`);
            separator = ',';
          }
          refuseTooLarge(out);
        }
        return out.text('],"status":"OK"}').finish();
      }),
    ),
};
