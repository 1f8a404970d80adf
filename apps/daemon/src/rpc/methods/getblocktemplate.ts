import { fromHex } from '@wrkz/core-types';
import { JsonRpcError, refusals } from '../errors';
import type { Params } from '../params';
import type { Method } from '../route';
import { minerAddress } from './wallet-address';

const TOO_BIG_RESERVE = -3;
const INTERNAL = -5;

/** The extra nonce's length is one byte. */
const MAX_RESERVE = 255;

export const getblocktemplate: Method = {
  name: 'getblocktemplate',
  mode: 'MiningEnabled',
  handle: async ({ mining }, request) => {
    const params = request.object('params');
    const extraNonce = readExtraNonce(params);
    const address = minerAddress(params.string('wallet_address'));
    try {
      const template = await mining.template(address, extraNonce);
      return {
        blocktemplate_blob: template.blob.toString('hex'),
        difficulty: template.difficulty,
        height: template.height,
        reserved_offset: template.reservedOffset,
        status: 'OK',
      };
    } catch (error) {
      throw new JsonRpcError(INTERNAL, `Failed to create block template: ${(error as Error).message}`);
    }
  },
};

/** `extra_nonce` (hex) wins over `reserve_size` (so many zero bytes); neither means nothing is reserved. */
function readExtraNonce(params: Params): Buffer {
  if (params.has('extra_nonce')) {
    const nonce = fromHex(params.string('extra_nonce'));
    if (nonce === undefined) throw new JsonRpcError(TOO_BIG_RESERVE, 'Given extra nonce is not hex!');
    if (nonce.length > MAX_RESERVE) {
      throw new JsonRpcError(TOO_BIG_RESERVE, 'Too big extra nonce, maximum allowed is 255 bytes');
    }
    return nonce;
  }
  // An empty request names the parameter that the reference reads first.
  if (!params.has('reserve_size') && !params.has('wallet_address')) throw refusals.missing('reserve_size');
  const size = params.optionalUint64('reserve_size', 0n);
  if (size > BigInt(MAX_RESERVE)) {
    throw new JsonRpcError(TOO_BIG_RESERVE, 'Too big reserved size, maximum allowed is 255');
  }
  return Buffer.alloc(Number(size));
}
