import { daemonApi } from '@wrkz/api';
import { decodeAddress } from '@wrkz/core-types';
import { isAccepted } from '../../chain/results';
import { method } from '../declare';
import { refuse } from '../errors';

const { blobNotHex, blockNotAccepted, countOutOfRange, extraNonceNotHex, extraNonceTooBig, generateFailed } =
  daemonApi.rpcErrors;
const { notOneBlob, notSeconds, reserveTooBig, templateFailed, wrongAddress } = daemonApi.rpcErrors;
const { internal, missing } = daemonApi.refusals;

/** The length of the extra nonce is one byte. */
const MAX_RESERVE = 255;

export const getblocktemplate = method({
  name: 'getblocktemplate',
  summary: 'A block to mine that pays to an address, with reserved bytes for the miner on request.',
  labels: { mode: 'MiningEnabled', source: 'node' },
  params: daemonApi.blockTemplateParams,
  result: daemonApi.blockTemplateResult,
  errors: [extraNonceNotHex, extraNonceTooBig, reserveTooBig, wrongAddress, templateFailed],
  invalid: { extra_nonce: extraNonceNotHex },
  prepare: (params) => {
    const { reserve_size: size, ...rest } = params;
    if (Object.hasOwn(params, 'extra_nonce')) return rest;
    // For an empty request the error names the parameter that the reference reads first.
    if (size === undefined && !Object.hasOwn(params, 'wallet_address')) throw refuse(missing, { name: 'reserve_size' });
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
  handle: async ({ miner }, params) => {
    const address = minerAddress(params.wallet_address);
    // Without an extra nonce `reserve_size` zero bytes; without both nothing is reserved.
    const extraNonce = Buffer.from(params.extra_nonce ?? '00'.repeat(params.reserve_size ?? 0), 'hex');
    try {
      const template = await miner.template(address, extraNonce);
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

export const submitblock = method({
  name: 'submitblock',
  summary: 'Submits a mined block.',
  labels: { mode: 'MiningEnabled', source: 'node' },
  params: daemonApi.submitBlockParams,
  result: daemonApi.submitBlockResult,
  errors: [notOneBlob, blobNotHex, blockNotAccepted, internal],
  invalid: blobNotHex,
  prepare: (blobs) => {
    if (blobs.length !== 1) throw refuse(notOneBlob, { count: String(blobs.length) });
    return blobs;
  },
  handle: async ({ miner }, [blob]) => {
    if (!isAccepted(await miner.submit(Buffer.from(blob, 'hex')))) throw refuse(blockNotAccepted);
    return { status: 'OK' as const };
  },
});

const MAX_COUNT = 1000;
const MAX_SECONDS = 2 ** 40;

/** Mines blocks at once, on test networks. On mainnet the method is unknown. */
export const generateblocks = method({
  name: 'generateblocks',
  summary: 'Mines blocks at once, on simnet and devnet.',
  labels: { mode: 'Default', source: 'node' },
  params: daemonApi.generateBlocksParams,
  result: daemonApi.generateBlocksResult,
  errors: [wrongAddress, countOutOfRange, notSeconds, generateFailed],
  available: ({ network }) => network.allowsGeneratedBlocks,
  checks: {
    wallet_address: (text) => void minerAddress(text),
    count: (count) => {
      if (count < 1 || count > MAX_COUNT) throw refuse(countOutOfRange, { maximum: String(MAX_COUNT) });
    },
    spacing: (spacing, { fields: { timestamp = 0 } }) => {
      if (timestamp > MAX_SECONDS || spacing > MAX_SECONDS) throw refuse(notSeconds);
    },
  },
  handle: async (context, { wallet_address: text, count, timestamp = context.now(), spacing }) => {
    try {
      const mined = await context.generator.generate({ address: minerAddress(text), count, timestamp, spacing });
      return {
        hashes: mined.hashes.map((hash) => hash.toString('hex')),
        height: mined.height,
        status: 'OK' as const,
      };
    } catch (error) {
      throw refuse(generateFailed, { message: (error as Error).message });
    }
  },
});

/** The keys of a plain address. @throws JsonRpcError -4 with the text of the wallet error, also for integrated addresses */
function minerAddress(text: string): { readonly spendPublic: Buffer; readonly viewPublic: Buffer } {
  try {
    return decodeAddress(text, { allowIntegrated: false });
  } catch (error) {
    throw refuse(wrongAddress, { message: (error as Error).message });
  }
}
