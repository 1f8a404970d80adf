import { daemonApi } from '@wrkz/api';
import { fromHex, MAX_UINT64 } from '@wrkz/core-types';
import { FinishedJson } from '@wrkz/service-kit';
import { method } from '../declare';
import { refuse } from '../errors';
import type { QueryTable } from '../queries';

const { blockBelowFloor, blockHashNotHex, blockHashInvalid, blockUnknown, hashHeightTooBig } = daemonApi.rpcErrors;
const { overloaded } = daemonApi.refusals;

const HASH_DIGITS = 64;

export const fBlockJson = method({
  name: 'f_block_json',
  summary: 'A main-chain block with its rewards, sizes and transactions.',
  labels: { mode: 'BlockExplorerEnabled', answeredFrom: 'chain' },
  params: daemonApi.blockParams,
  result: daemonApi.blockResult,
  errors: [blockHashNotHex, blockHashInvalid, hashHeightTooBig, blockUnknown, blockBelowFloor, overloaded],
  handle: async ({ queries }, params, request) =>
    new FinishedJson(await queries.run('explorerBlock', placeOf(params.hash), request)),
});

/** The count of blocks up to the one that is meant may stand in place of its hash. */
function placeOf(text: string): QueryTable['explorerBlock'] {
  if (text.length === HASH_DIGITS) {
    const hash = fromHex(text);
    if (hash === undefined) throw refuse(blockHashNotHex);
    return { hash };
  }
  const count = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (count === undefined || count > MAX_UINT64) throw refuse(blockHashInvalid);
  return { height: Math.min(Number(count) - 1, Number.MAX_SAFE_INTEGER) };
}
