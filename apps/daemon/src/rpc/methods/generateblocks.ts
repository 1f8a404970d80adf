import { JsonRpcError } from '../errors';
import type { Method } from '../route';
import { minerAddress } from './wallet-address';

const WRONG_PARAMETER = -1;
const INTERNAL = -5;
const MAX_COUNT = 1000n;
const MAX_SECONDS = 1n << 40n;
const DEFAULT_SPACING = 60n;

/** Mines at once. Only on the networks that are there for trying things out; on mainnet the method is unknown. */
export const generateblocks: Method = {
  name: 'generateblocks',
  mode: 'Default',
  availableOn: ({ network }) => network.allowsGeneratedBlocks,
  handle: async (context, request) => {
    const params = request.object('params');
    const address = minerAddress(params.string('wallet_address'));
    const count = params.optionalUint64('count', 1n);
    if (count < 1n || count > MAX_COUNT) {
      throw new JsonRpcError(WRONG_PARAMETER, `count must be between 1 and ${MAX_COUNT}`);
    }
    const timestamp = params.optionalUint64('timestamp', BigInt(context.now()));
    const spacing = params.optionalUint64('spacing', DEFAULT_SPACING);
    if (timestamp > MAX_SECONDS || spacing > MAX_SECONDS) {
      throw new JsonRpcError(WRONG_PARAMETER, 'timestamp and spacing are Unix seconds');
    }
    try {
      const { height, hashes } = await context.mining.generate({
        address,
        count: Number(count),
        timestamp: Number(timestamp),
        spacing: Number(spacing),
      });
      return { hashes: hashes.map((hash) => hash.toString('hex')), height, status: 'OK' };
    } catch (error) {
      throw new JsonRpcError(INTERNAL, `Failed to generate blocks: ${(error as Error).message}`);
    }
  },
};
