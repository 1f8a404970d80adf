import { z } from 'zod';
import { hash, hex, integer, uint64 } from '../../scalars';

const coinbaseInput = z.object({
  type: z.literal('ff'),
  data: z.object({
    amount: uint64.meta({ description: 'The sum of the outputs' }),
    input: z.object({ height: integer.meta({ description: 'An index' }) }),
  }),
});

const keyInput = z.object({
  type: z.literal('02'),
  data: z.object({
    input: z.object({
      amount: uint64,
      k_image: hash,
      key_offsets: z.array(integer).meta({ description: 'Relative, as stored' }),
    }),
    mixin: integer.meta({ description: 'Members of the ring' }),
    output: z
      .object({
        transactionHash: hash,
        number: integer.meta({ description: 'Its place among the outputs of that transaction' }),
      })
      .meta({ description: "The output that is the ring's last member" }),
  }),
});

const output = z.object({
  globalIndex: integer,
  output: z.object({
    amount: uint64,
    target: z.object({ data: z.object({ key: hash }), type: z.literal('02') }),
  }),
});

const extra = z.object({
  nonce: z.array(integer).meta({ description: 'The bytes of the nonce field, 0 to 255 each' }),
  publicKey: hash.meta({ description: 'Zeros when there is none' }),
  raw: hex,
});

/** A main-chain transaction with everything that can be said of it. */
export const detailedTransactionObject = z.object({
  blockHash: hash,
  blockIndex: integer,
  extra,
  fee: uint64.meta({ description: '0 of a coinbase' }),
  hash,
  inBlockchain: z.boolean(),
  inputs: z.array(z.union([coinbaseInput, keyInput])),
  mixin: integer.meta({ description: 'Members of its largest ring' }),
  outputs: z.array(output),
  paymentId: hash.meta({ description: 'Zeros when there is none' }),
  signatures: z
    .array(z.object({ first: integer.meta({ description: 'The place of its input' }), second: hex }))
    .meta({ description: 'One for each member of each ring' }),
  signaturesSize: integer.meta({ description: 'How many rings are signed' }),
  size: integer.meta({ description: 'Bytes' }),
  timestamp: uint64.meta({ description: 'Of its block' }),
  totalInputsAmount: uint64,
  totalOutputsAmount: uint64,
  unlockTime: uint64,
});
