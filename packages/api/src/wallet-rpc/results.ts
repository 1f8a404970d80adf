import { z } from 'zod';
import { integer, uint64 } from '../scalars';

/** Results. Fields are in ascending order, as the C++ program prints them. */

export const balanceResult = z.object({ availableBalance: uint64, lockedAmount: uint64 });

export const statusResult = z.object({
  blockCount: integer.meta({ description: 'Blocks that the wallet has scanned; 1 while converting' }),
  converting: z
    .literal(true)
    .optional()
    .meta({ description: 'Present while no block of the chain has confirmed the history of a converted container' }),
  knownBlockCount: integer.meta({ description: 'Blocks of the network, as the node reports' }),
  lastBlockHash: z.string().meta({ description: 'Hash of the last block of the wallet' }),
  localDaemonBlockCount: integer.meta({ description: 'Blocks of the node' }),
  peerCount: integer,
  sendsPaused: z
    .object({
      source: z.enum(['operator', 'database', 'chainDisagreement', 'heavierBranch']),
      reason: z.string(),
      since: integer.meta({ description: 'Unix milliseconds' }),
    })
    .optional()
    .meta({ description: 'Why sends are refused with error 1008; absent while they are not paused' }),
});

const signed = z.bigint();

export const transfer = z.object({
  address: z.string().meta({ description: 'Empty for addresses that are not in the container' }),
  amount: signed.meta({ description: 'Received amounts are positive, sent amounts are negative' }),
  type: integer.meta({ description: '2: change; 0: everything else' }),
});

export const transactionObject = z.object({
  amount: signed.meta({ description: 'Received minus spent by the container' }),
  blockIndex: integer.meta({ description: '4294967295 while unconfirmed' }),
  extra: z.string().meta({ description: 'Hex; empty if no node could return it' }),
  fee: uint64,
  isBase: z.boolean(),
  paymentId: z.string(),
  state: integer.meta({ description: '0: unconfirmed or in a block; 2: deleted; 3: delayed' }),
  timestamp: integer.meta({ description: 'Unix seconds of the block; 0 while unconfirmed' }),
  transactionHash: z.string(),
  transfers: z.array(transfer),
  unlockTime: uint64,
  verified: z.literal(false).optional().meta({
    description: 'Present while no node has proved the block by its bytes: what was received is locked until then',
  }),
});

const items = <Item extends z.ZodRawShape>(item: Item) =>
  z.object({ items: z.array(z.object({ blockHash: z.string(), ...item })) });

export const hashItems = items({ transactionHashes: z.array(z.string()) });

export const transactionItems = items({ transactions: z.array(transactionObject) });

export const sentResult = z.object({ anonymity: integer, fee: uint64, transactionHash: z.string() });

export const delayedResult = z.object({ fee: uint64, transactionHash: z.string() });

export const feeInfo = z.object({ address: z.string(), amount: uint64 });

export const spendKeys = z.object({ spendPublicKey: z.string(), spendSecretKey: z.string() });

export const createdAddress = z.object({ address: z.string() });

export const viewKeyResult = z.object({ viewSecretKey: z.string() });

export const mnemonicResult = z.object({ mnemonicSeed: z.string() });

export const blockHashesResult = z.object({ blockHashes: z.array(z.string()) });

export const oneTransactionResult = z.object({ transaction: transactionObject });

export const integratedResult = z.object({ integratedAddress: z.string() });
