import { daemonApi } from '@wrkz/api';
import { isUnlocked } from '@wrkz/consensus';
import { COINBASE_UNLOCK_WINDOW, describeAmount } from '@wrkz/core-types';
import { refuse } from '../errors';
import { JsonBuffer, piece } from './json-buffer';
import { MAX_ANSWER_BYTES, refuseTooLarge } from './limits';
import type { Query } from './query';

export const RANDOM_OUTS_LIMITS = { count: 100, amounts: 10_000, total: 100_000 } as const;

export interface RandomOutsQuery {
  readonly amounts: readonly bigint[];
  readonly count: number;
  /** Unix seconds, for the ages in which unlock times were judged by the clock. */
  readonly now: number;
}

/** What one amount costs before its first output, in outputs: how many there are must be found out. */
const AMOUNT_COST = 10;
const LIGHT_COST = 4_000;

/**
 * The body of `/getrandom_outs`: for each amount up to `count` distinct outputs, drawn uniformly from all of that
 * amount that lie at least the coinbase window below the tip and are unlocked, in ascending order of their index.
 * An amount with fewer answers what there is; one with none at all is refused with error code 27.
 */
export const randomOuts: Query<RandomOutsQuery> = {
  isHeavy: ({ amounts, count }) => amounts.length * (AMOUNT_COST + count) > LIGHT_COST,
  answer: ({ reader, network, throwIfGone }, { amounts, count, now }) =>
    reader.snapshot(() => {
      const tip = reader.tip();
      const timestamp = network.rulesAt(tip.height).timeLockByTip ? tip.timestamp : now;
      const rule = {
        maxHeight: tip.height - COINBASE_UNLOCK_WINDOW,
        isUnlocked: ({ unlockTime }: { unlockTime: bigint }) =>
          isUnlocked(unlockTime, { height: tip.height, timestamp }),
      };
      refuseUnfit(amounts, count, (amount) => {
        throwIfGone();
        return reader.outputCount(amount, rule.maxHeight);
      });
      const out = new JsonBuffer();
      out.text('{"outs":[');
      amounts.forEach((amount, i) => {
        throwIfGone();
        // An amount that the chain does not hold is looked for in the whole table of amounts, so none is without need.
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
function refuseUnfit(amounts: readonly bigint[], count: number, countOf: (amount: bigint) => number): void {
  if (amounts.length * count * MIN_OUTPUT_BYTES <= MAX_ANSWER_BYTES) return;
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
  return refuse(daemonApi.refusals.noOutputs, { amount: String(amount), readable: describeAmount(amount) });
}
