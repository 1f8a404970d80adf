import { z } from 'zod';
import { hash, integer, uint64 } from '../scalars';
import { key, pathAddress, pathPaymentId, scanHeight } from './common';

export const addressParams = z.object({ address: pathAddress });

export const integratedParams = z.object({ address: pathAddress, paymentId: pathPaymentId });

/** POST /addresses/validate */
export const validateBody = z.object({ address: z.string() });

export const validateAnswer = z.object({
  actualAddress: z.string().meta({ description: 'The standard address' }),
  isIntegrated: z.boolean(),
  paymentID: z.string().meta({ description: 'Empty for a standard address' }),
  publicSpendKey: hash,
  publicViewKey: hash,
});

/** GET /keys */
export const viewKeyAnswer = z.object({ privateViewKey: hash });

/** GET /keys/{address} */
export const spendKeysAnswer = z.object({ privateSpendKey: hash, publicSpendKey: hash, walletIndex: integer });

/** GET /keys/mnemonic/{address} */
export const mnemonicAnswer = z.object({ mnemonicSeed: z.string().meta({ description: '25 words' }) });

/** POST /addresses/create */
export const createdAddressAnswer = z.object({
  address: z.string(),
  privateSpendKey: hash.optional().meta({ description: 'Only for API keys of the scope admin' }),
  publicSpendKey: hash,
  walletIndex: integer,
});

/** POST /addresses/import */
export const importAddressBody = z.object({ privateSpendKey: key, ...scanHeight });

/** POST /addresses/import/deterministic */
export const importDeterministicBody = z.object({ walletIndex: uint64, ...scanHeight });

/** POST /addresses/import/view */
export const importViewAddressBody = z.object({ publicSpendKey: key, ...scanHeight });

/** The primary address or an imported one. */
export const addressAnswer = z.object({ address: z.string() });

export const addressesAnswer = z.object({ addresses: z.array(z.string()) });

export const integratedAnswer = z.object({ integratedAddress: z.string() });

const amounts = {
  locked: uint64.meta({ description: 'Atomic units that cannot be spent yet' }),
  unlocked: uint64.meta({ description: 'Atomic units that can be spent now' }),
};

/** GET /balance and GET /balance/{address} */
export const balanceAnswer = z.object(amounts);

/** GET /balances: a bare array. */
export const balancesAnswer = z.array(z.object({ address: z.string(), ...amounts }));

/** PUT and DELETE /labels/{subject}: a standard address or a transaction hash. */
export const labelParams = z.object({ subject: z.string().regex(/^(?:Wrkz[a-zA-Z0-9]{94}|[a-fA-F0-9]{64})$/) });

export const labelBody = z.object({ text: z.string().min(1).max(500) });

/** GET /labels */
export const labelsAnswer = z.object({
  labels: z.array(
    z.object({ subject: z.string().meta({ description: 'Address or transaction hash' }), text: z.string() }),
  ),
});
