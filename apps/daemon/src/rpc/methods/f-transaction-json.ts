import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { method } from '../declare';

const { blockBelowFloor, blockHashNotHex, transactionUnknown } = daemonApi.rpcErrors;
const { overloaded, internal } = daemonApi.refusals;

export const fTransactionJson = method({
  name: 'f_transaction_json',
  summary: 'A transaction of the main chain with the block that it stands in.',
  labels: { mode: 'BlockExplorerEnabled', answeredFrom: 'chain' },
  params: daemonApi.transactionParams,
  result: daemonApi.transactionResult,
  errors: [blockHashNotHex, transactionUnknown, blockBelowFloor, overloaded, internal],
  invalid: { hash: blockHashNotHex },
  handle: async ({ queries }, { hash }, request) =>
    new FinishedJson(await queries.run('explorerTransaction', { hash: Buffer.from(hash, 'hex') }, request)),
});
