import { z } from 'zod';
import { addressText, hash, hex, integer, statusOk, uint64 } from '../scalars';

export const blockTemplateParams = z.object({
  extra_nonce: hex.optional().meta({ description: 'Bytes for the coinbase transaction. Overrides reserve_size' }),
  reserve_size: integer.optional().meta({ description: 'Number of zero bytes to reserve, at most 255' }),
  wallet_address: addressText,
});

export const blockTemplateResult = z.object({
  blocktemplate_blob: hex,
  difficulty: uint64,
  height: integer.meta({ description: 'Index of the block to mine' }),
  reserved_offset: integer.meta({ description: 'Offset of the reserved bytes in the blob. 0: none' }),
  status: statusOk,
});

export const submitBlockParams = z.tuple([hex.meta({ title: 'block', description: 'Serialized block, hex' })]);

export const submitBlockResult = z.object({ status: statusOk });

export const generateBlocksParams = z.object({
  wallet_address: addressText,
  count: integer.default(1).meta({ description: 'Blocks to mine, 1 to 1000' }),
  timestamp: integer.optional().meta({ description: 'Timestamp of the first block, Unix seconds. Default: now' }),
  spacing: integer.default(60).meta({ description: 'Seconds between the timestamps of two blocks' }),
});

export const generateBlocksResult = z.object({
  hashes: z.array(hash),
  height: integer.meta({ description: 'Block count' }),
  status: statusOk,
});
