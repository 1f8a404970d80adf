import { z } from 'zod';
import { hash, integer } from '../scalars';

/** The body of an error that has a body. */
export const walletErrorBody = z.object({ errorCode: integer, errorMessage: z.string() });

/** A response without a body. */
export const noContent = z.undefined();

/** A standard address in a path; an integrated address does not match. */
export const pathAddress = z.string().regex(/^Wrkz[a-zA-Z0-9]{94}$/);

/** A transaction hash in a path. */
export const pathHash = hash;

/** A payment ID in a path: 16 or 64 hex digits. */
export const pathPaymentId = z.string().regex(/^(?:[a-fA-F0-9]{16}|[a-fA-F0-9]{64})$/);

/** A block height in a path; leading zeros are allowed. */
export const pathHeight = z.string().regex(/^\d+$/);

const port = z.codec(z.bigint().min(0n).max(65_535n), z.int(), { decode: Number, encode: BigInt });

/** The optional node of a request. */
export const nodeRequestFields = {
  daemonHost: z.string().optional().meta({ description: 'Default 127.0.0.1' }),
  daemonPort: port.optional().meta({ description: 'Default: the RPC port of the network' }),
  daemonSSL: z.boolean().optional().meta({ description: 'Whether to use TLS. Default false' }),
};

/** Fields of every request that opens a wallet. */
export const walletFields = { filename: z.string(), password: z.string(), ...nodeRequestFields };

export const scanHeight = { scanHeight: integer.optional().meta({ description: 'First block to scan. Default 0' }) };

/** 32 bytes, hex. */
export const key = hash;
