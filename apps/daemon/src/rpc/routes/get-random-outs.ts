import { refusals } from '../errors';
import { asUint64 } from '../params';
import { RANDOM_OUTS_LIMITS } from '../queries/get-random-outs';
import type { Route } from '../route';

export const getRandomOuts: Route = {
  method: 'POST',
  path: '/getrandom_outs',
  mode: 'Default',
  handle: async ({ queries, now }, params) => {
    const count = params.uint64('outs_count');
    const entries = params.array('amounts');
    const { count: maxCount, amounts: maxAmounts, total } = RANDOM_OUTS_LIMITS;
    if (count > BigInt(maxCount)) throw refusals.badRequest(`outs_count exceeds the maximum of ${maxCount}`);
    if (entries.length > maxAmounts) {
      throw refusals.badRequest(`amounts has more than the maximum of ${maxAmounts} entries`);
    }
    if (count * BigInt(entries.length) > BigInt(total)) {
      throw refusals.badRequest(`amounts x outs_count exceeds the maximum of ${total} outputs per request`);
    }
    const amounts = entries.map(asUint64);
    return { finished: await queries.run('randomOuts', { amounts, count: Number(count), now: now() }) };
  },
};
