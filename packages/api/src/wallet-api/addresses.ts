import { z } from 'zod';
import { hash, integer, uint64 } from '../scalars';
import { key, pathAddress, pathPaymentId, scanHeight } from './common';

export const addressParams = z.object({ address: pathAddress });

export const integratedParams = z.object({ address: pathAddress, paymentId: pathPaymentId });

/** POST /addresses/validate. */
export const validateBody = z.object({ address: z.string() });

export const validateAnswer = z.object({
  actualAddress: z.string(),
  isIntegrated: z.boolean(),
  paymentID: z.string(),
  publicSpendKey: hash,
  publicViewKey: hash,
});

/** GET /keys. */
export const viewKeyAnswer = z.object({ privateViewKey: hash });

/** GET /keys/{address}. */
export const spendKeysAnswer = z.object({ privateSpendKey: hash, publicSpendKey: hash, walletIndex: integer });

/** GET /keys/mnemonic/{address}. */
export const mnemonicAnswer = z.object({ mnemonicSeed: z.string() });

/** POST /addresses/create. */
export const createdAddressAnswer = z.object({
  address: z.string(),
  /** Left out where the key of the request is not the main one or of the scope admin. */
  privateSpendKey: hash.optional(),
  publicSpendKey: hash,
  walletIndex: integer,
});

export const importAddressBody = z.object({ privateSpendKey: key, ...scanHeight });

export const importDeterministicBody = z.object({ walletIndex: uint64, ...scanHeight });

export const importViewAddressBody = z.object({ publicSpendKey: key, ...scanHeight });

/** One address: the primary one, or one that was imported. */
export const addressAnswer = z.object({ address: z.string() });

export const addressesAnswer = z.object({ addresses: z.array(z.string()) });

export const integratedAnswer = z.object({ integratedAddress: z.string() });
