import { z } from 'zod';
import { decimal, hash, integer, uint64 } from '../scalars';

/** The body of a refusal that has one. */
export const walletErrorBody = z.object({ errorCode: integer, errorMessage: z.string() });

/** What answers without a body. */
export const noContent = z.undefined();

/** An address as it may stand in a path; an integrated one is another path. */
export const pathAddress = z.string().regex(/^Wrkz[a-zA-Z0-9]{94}$/);

/** A hash as it may stand in a path. */
export const pathHash = hash;

/** 16 or 64 hex digits. */
export const pathPaymentId = z.string().regex(/^(?:[a-fA-F0-9]{16}|[a-fA-F0-9]{64})$/);

/** A height as it may stand in a path; leading zeros are fine. */
export const pathHeight = z.string().regex(/^\d+$/);

const port = z.codec(z.bigint().min(0n).max(65_535n), z.int(), { decode: Number, encode: BigInt });

/** Where a node is reached; what is left out has the network's default. */
export const nodeMembers = {
  daemonHost: z.string().optional(),
  daemonPort: port.optional(),
  daemonSSL: z.boolean().optional(),
};

/** The members that every way to a wallet takes. */
export const walletMembers = { filename: z.string(), password: z.string(), ...nodeMembers };

/** From which index on the chain is read. */
export const scanHeight = { scanHeight: integer.optional() };

export const key = hash;

export const sendOptions = {
  mixin: uint64.optional(),
  fee: uint64.optional(),
  feePerByte: decimal.optional(),
  sourceAddresses: z.array(z.string()).optional(),
  paymentID: z.string().optional(),
  changeAddress: z.string().optional(),
  unlockTime: uint64.optional(),
  extra: z.string().optional(),
};
