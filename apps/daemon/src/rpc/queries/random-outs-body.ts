import { daemonApi } from '@wrkz/api';
import type { ChainReader } from '@wrkz/chain-db';
import { isUnlocked } from '@wrkz/consensus';
import { COINBASE_UNLOCK_WINDOW, describeAmount, type Network } from '@wrkz/core-types';
import { refuse } from '../errors';

export const RANDOM_OUTS_LIMITS = { count: 100, amounts: 10_000, total: 100_000 } as const;

export interface RandomOutsQuery {
  readonly amounts: readonly bigint[];
  readonly count: number;
  /** Unix seconds, for the ages in which unlock times were judged by the clock. */
  readonly now: number;
}

/**
 * The body of `/getrandom_outs`: for each amount up to `count` distinct outputs, drawn uniformly from all of that
 * amount that lie at least the coinbase window below the tip and are unlocked, in ascending order of their index.
 * An amount with fewer answers what there is; one with none at all is refused with error code 27.
 */
export function randomOutsBody(reader: ChainReader, network: Network, query: RandomOutsQuery): string {
  return reader.snapshot(() => {
    const tip = reader.tip();
    const timestamp = network.rulesAt(tip.height).timeLockByTip ? tip.timestamp : query.now;
    const rule = {
      maxHeight: tip.height - COINBASE_UNLOCK_WINDOW,
      isUnlocked: ({ unlockTime }: { unlockTime: bigint }) => isUnlocked(unlockTime, { height: tip.height, timestamp }),
    };
    const outs = query.amounts.map((amount) => {
      const picked = rule.maxHeight < 0 ? [] : reader.randomOutputs(amount, query.count, rule);
      if (picked.length === 0 && query.count > 0) throw noOutputs(amount);
      const members = picked
        .sort((a, b) => a.index - b.index)
        .map(({ index, key }) => `{"global_amount_index":${index},"out_key":"${key.toString('hex')}"}`);
      return `{"amount":${amount},"outs":[${members.join(',')}]}`;
    });
    return `{"outs":[${outs.join(',')}],"status":"OK"}`;
  });
}

function noOutputs(amount: bigint): Error {
  return refuse(daemonApi.refusals.noOutputs, { amount: String(amount), readable: describeAmount(amount) });
}
