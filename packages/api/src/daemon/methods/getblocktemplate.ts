import { z } from 'zod';
import { addressText, hex, integer, statusOk, uint64 } from '../../scalars';

export const blockTemplateParams = z.object({
  extra_nonce: hex
    .optional()
    .meta({ description: 'Bytes to stand in the coinbase transaction; wins over reserve_size' }),
  reserve_size: integer.optional().meta({ description: 'So many zero bytes, at most 255' }),
  wallet_address: addressText,
});

export const blockTemplateResult = z.object({
  blocktemplate_blob: hex,
  difficulty: uint64,
  height: integer.meta({ description: 'The index of the block to be mined' }),
  reserved_offset: integer.meta({ description: 'Where the reserved bytes stand in the blob; 0 = none' }),
  status: statusOk,
});
