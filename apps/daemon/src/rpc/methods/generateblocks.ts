import { daemonApi } from '@wrkz/api';
import { method } from '../declare';
import { refuse } from '../errors';
import { minerAddress } from './wallet-address';

const { wrongAddress, countOutOfRange, notSeconds, generateFailed } = daemonApi.rpcErrors;

const MAX_COUNT = 1000;
const MAX_SECONDS = 2 ** 40;

/** Mines at once. Only on the networks that are there for trying things out; on mainnet the method is unknown. */
export const generateblocks = method({
  name: 'generateblocks',
  summary: 'Mines blocks at once, on simnet and devnet.',
  labels: { mode: 'Default', answeredFrom: 'node' },
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
      const mined = await context.mining.generate({ address: minerAddress(text), count, timestamp, spacing });
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
