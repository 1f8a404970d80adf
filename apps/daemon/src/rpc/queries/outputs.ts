import { refusals } from '@wrkz/api/daemon-errors';
import { isUnlocked } from '@wrkz/consensus';
import { COINBASE_UNLOCK_WINDOW, describeAmount } from '@wrkz/core-types';
import { orRefuseBelowFloor, refuse, refuseBelowFloor } from '../errors';
import { ResponseBuffer, piece } from './response-buffer';
import { MAX_RESPONSE_BYTES, type Query, refuseTooLarge } from './query';

export const RANDOM_OUTS_LIMITS = { count: 100, amounts: 10_000, total: 100_000 } as const;

export interface RandomOutsQuery {
  readonly amounts: readonly bigint[];
  /** Outputs of each amount. */
  readonly count: number;
  /** Unix seconds, for rules under which the clock decides about unlock times. */
  readonly now: number;
}

/** The cost of an amount, in outputs: its outputs are counted first. */
const AMOUNT_COST = 10;
const MAX_LIGHT_COST = 4_000;

/**
 * The response of `/getrandom_outs`: for each amount up to `count` distinct outputs, in ascending order of their index. They
 * are drawn uniformly from the unlocked outputs that are at least the coinbase window below the tip. An amount with fewer
 * outputs has all of them; an amount without any is error 27.
 */
export const randomOuts: Query<RandomOutsQuery> = {
  isHeavy: ({ amounts, count }) => amounts.length * (AMOUNT_COST + count) > MAX_LIGHT_COST,
  run: ({ reader, network, throwIfCancelled }, { amounts, count, now }) =>
    reader.snapshot(() => {
      const tip = reader.tip();
      const timestamp = network.rulesAt(tip.height).timeLockByTip ? tip.timestamp : now;
      const rule = {
        maxHeight: tip.height - COINBASE_UNLOCK_WINDOW,
        isUnlocked: ({ unlockTime }: { unlockTime: bigint }) =>
          isUnlocked(unlockTime, { height: tip.height, timestamp }),
      };
      refuseIfTooLarge(amounts, count, (amount) => {
        throwIfCancelled();
        return reader.outputCount(amount, rule.maxHeight);
      });
      const out = new ResponseBuffer();
      out.text('{"outs":[');
      amounts.forEach((amount, i) => {
        throwIfCancelled();
        // The lookup of an unknown amount reads the whole table of amounts, so it is made only if outputs are requested.
        const picked = count === 0 || rule.maxHeight < 0 ? [] : reader.randomOutputs(amount, count, rule);
        if (picked.length === 0 && count > 0) throw noOutputs(amount);
        out.text(`${i === 0 ? '' : ','}{"amount":${amount},"outs":[`);
        picked
          .sort((a, b) => a.index - b.index)
          .forEach(({ index, key }, j) => {
            out.put(j === 0 ? FIRST_INDEX : NEXT_INDEX).unsigned(index);
            out.put(KEY).hex(key).put(END);
          });
        out.text(']}');
        refuseTooLarge(out);
      });
      return out.text('],"status":"OK"}').finish();
    }),
};

const FIRST_INDEX = piece('{"global_amount_index":');
const NEXT_INDEX = piece(',{"global_amount_index":');
const KEY = piece(',"out_key":"');
const END = piece('"}');

/** Bytes of the shortest output in the response. */
const MIN_OUTPUT_BYTES = '{"global_amount_index":0,"out_key":""},'.length + 64;

/**
 * Refuses a response that would be too large before any output is read.
 * @param countOf number of outputs of an amount; some may be locked
 */
function refuseIfTooLarge(amounts: readonly bigint[], count: number, countOf: (amount: bigint) => number): void {
  if (amounts.length * count * MIN_OUTPUT_BYTES <= MAX_RESPONSE_BYTES) return;
  const counts = new Map<bigint, number>();
  let outputs = 0;
  for (const amount of amounts) {
    const own = counts.get(amount) ?? Math.min(count, countOf(amount));
    counts.set(amount, own);
    outputs += own;
  }
  refuseTooLarge({ length: outputs * MIN_OUTPUT_BYTES });
}

function noOutputs(amount: bigint): Error {
  return refuse(refusals.noOutputs, { amount: String(amount), readable: describeAmount(amount) });
}

/** The response of `/get_o_indexes`. On a lite node an unknown transaction may be below the first height. */
export const outputIndexes: Query<{ readonly hash: Buffer }> = {
  isHeavy: () => false,
  run: ({ reader }, { hash }) => {
    const indexes = reader.outputIndexes(hash);
    if (indexes === undefined) {
      const { lite } = reader.floors();
      if (lite !== undefined) throw refuseBelowFloor(refusals.belowFloor, { mode: 'lite', floor: lite });
      throw refuse(refusals.noOutputIndexes);
    }
    return Buffer.from(`{"o_indexes":[${indexes.join(',')}],"status":"OK"}`, 'latin1');
  },
};

const MAX_LIGHT_BLOCKS = 100;
/** Blocks of one read. */
const BLOCKS_PER_READ = 64;

/**
 * The response of `/get_global_indexes_for_range`: one entry for each transaction, coinbase first. Parameters are block indexes;
 * `end` is exclusive.
 */
export const globalIndexes: Query<{ readonly start: number; readonly end: number }> = {
  isHeavy: ({ start, end }) => end - start > MAX_LIGHT_BLOCKS,
  run: ({ reader, throwIfCancelled }, { start, end }) =>
    orRefuseBelowFloor(refusals.belowFloor, () =>
      reader.snapshot(() => {
        const out = new ResponseBuffer();
        out.text('{"indexes":[');
        let separator = '';
        const stop = Math.min(end, reader.tip().height + 1);
        for (let from = start; from < stop; from += BLOCKS_PER_READ) {
          throwIfCancelled();
          for (const { hash, indexes } of reader.globalIndexesRange(from, Math.min(from + BLOCKS_PER_READ, stop))) {
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
