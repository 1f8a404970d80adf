import { daemonApi } from '@wrkz/api';
import { method } from '../declare';
import { refuse } from '../errors';
import { minerAddress } from './wallet-address';

const { extraNonceNotHex, extraNonceTooBig, reserveTooBig, wrongAddress, templateFailed } = daemonApi.rpcErrors;

/** The extra nonce's length is one byte. */
const MAX_RESERVE = 255;

export const getblocktemplate = method({
  name: 'getblocktemplate',
  summary: "A block to be mined, paying to an address, with space for the miner's own bytes where it asks for some.",
  labels: { mode: 'MiningEnabled', answeredFrom: 'node' },
  params: daemonApi.blockTemplateParams,
  result: daemonApi.blockTemplateResult,
  errors: [extraNonceNotHex, extraNonceTooBig, reserveTooBig, wrongAddress, templateFailed],
  invalid: { extra_nonce: extraNonceNotHex },
  prepare: (params) => {
    const { reserve_size: size, ...rest } = params;
    if (Object.hasOwn(params, 'extra_nonce')) return rest;
    // An empty request names the parameter that the reference reads first.
    if (size === undefined && !Object.hasOwn(params, 'wallet_address')) {
      throw refuse(daemonApi.refusals.missing, { name: 'reserve_size' });
    }
    return params;
  },
  checks: {
    extra_nonce: (hex) => {
      if (hex.length / 2 > MAX_RESERVE) throw refuse(extraNonceTooBig);
    },
    reserve_size: (size) => {
      if (size > MAX_RESERVE) throw refuse(reserveTooBig);
    },
  },
  handle: async ({ mining }, params) => {
    const address = minerAddress(params.wallet_address);
    // so many zero bytes when no extra nonce was given; neither means nothing is reserved
    const extraNonce = Buffer.from(params.extra_nonce ?? '00'.repeat(params.reserve_size ?? 0), 'hex');
    try {
      const template = await mining.template(address, extraNonce);
      return {
        blocktemplate_blob: template.blob.toString('hex'),
        difficulty: template.difficulty,
        height: template.height,
        reserved_offset: template.reservedOffset,
        status: 'OK' as const,
      };
    } catch (error) {
      throw refuse(templateFailed, { message: (error as Error).message });
    }
  },
});
