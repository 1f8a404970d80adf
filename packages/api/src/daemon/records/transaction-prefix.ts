import { z } from 'zod';
import { hash, hex, integer, uint64 } from '../../scalars';

/** What a coinbase names in place of a source. */
const coinbaseInput = z.object({
  type: z.literal('ff'),
  value: z.object({ height: integer.meta({ description: 'An index' }) }),
});

const keyInput = z.object({
  type: z.literal('02'),
  value: z.object({
    amount: uint64,
    k_image: hash,
    key_offsets: z.array(integer).meta({ description: 'Relative, as stored' }),
  }),
});

const output = z.object({
  amount: uint64,
  target: z.object({ data: z.object({ key: hash }), type: z.literal('02') }),
});

const shape = {
  extra: hex,
  unlock_time: uint64,
  version: integer,
  vin: z.array(z.union([coinbaseInput, keyInput])),
  vout: z.array(output),
};

/** A transaction without its signatures: `txPrefix` of the pool and block queries, `tx` of the explorer. */
export const transactionPrefixObject = z.object(shape);

/** The members of {@link transactionPrefixObject}, for a shape that has more. */
export const transactionPrefixMembers = shape;
