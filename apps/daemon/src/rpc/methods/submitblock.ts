import { fromHex } from '@wrkz/core-types';
import { JsonRpcError } from '../errors';
import { asString } from '../params';
import type { Method } from '../route';

const WRONG_PARAMETER = -1;
const WRONG_BLOB = -6;
const NOT_ACCEPTED = -7;

export const submitblock: Method = {
  name: 'submitblock',
  mode: 'MiningEnabled',
  handle: async ({ mining }, request) => {
    const blobs = request.array('params');
    const [blob] = blobs;
    if (blob === undefined || blobs.length !== 1) {
      throw new JsonRpcError(WRONG_PARAMETER, `You must submit one and only one block blob! (Found ${blobs.length})`);
    }
    const bytes = fromHex(asString(blob));
    if (bytes === undefined) throw new JsonRpcError(WRONG_BLOB, 'Submitted block blob is not hex!');
    if (!(await mining.submit(bytes))) throw new JsonRpcError(NOT_ACCEPTED, 'Block not accepted');
    return { status: 'OK' };
  },
};
