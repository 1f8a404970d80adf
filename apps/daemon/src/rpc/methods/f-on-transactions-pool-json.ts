import { daemonApi } from '@wrkz/api';
import { EventLoopYielder, FinishedJson } from '@wrkz/service-kit';
import { method } from '../declare';
import { JsonBuffer } from '../queries/json-buffer';
import { refuseTooLarge } from '../queries/limits';

const { answerTooLarge, internal } = daemonApi.refusals;

export const fOnTransactionsPoolJson = method({
  name: 'f_on_transactions_pool_json',
  summary: 'What waits in the pool, in a line each.',
  labels: { mode: 'BlockExplorerEnabled', answeredFrom: 'node' },
  result: daemonApi.poolTransactionsResult,
  errors: [answerTooLarge, internal],
  handle: async ({ pool }, _params, { gone }) => {
    const out = new JsonBuffer();
    const yielder = new EventLoopYielder();
    out.text('{"status":"OK","transactions":[');
    let separator = '';
    // A copy: the pool's own list changes while others have their turn.
    for (const { id, fee, amount, size } of [...pool.list()]) {
      out.text(`${separator}{"amount_out":${amount},"fee":${fee},"hash":"${id}","size":${size}}`);
      separator = ',';
      refuseTooLarge(out);
      await yielder.yieldIfDue();
      gone.throwIfAborted();
    }
    return new FinishedJson(out.text(']}').finish());
  },
});
