import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { makePause } from '../../p2p/util/yielding';
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
    const pause = makePause();
    out.text('{"status":"OK","transactions":[');
    let separator = '';
    // A copy: the pool's own list changes while others have their turn.
    for (const { id, fee, amount, size } of [...pool.list()]) {
      out.text(`${separator}{"amount_out":${amount},"fee":${fee},"hash":"${id}","size":${size}}`);
      separator = ',';
      refuseTooLarge(out);
      await pause();
      gone.throwIfAborted();
    }
    return new FinishedJson(out.text(']}').finish());
  },
});
