import { z } from 'zod';

/**
 * Values that the services share. JSON on the wire is read with every integer as bigint; what is said here is the form
 * on the wire, and a codec gives the form inside beside it.
 */

const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER);

/** An unsigned integer of 64 bits that needs all of them, such as an amount: a bigint inside. */
export const uint64 = z.uint64();

/**
 * An unsigned integer that is a number inside: heights, counts, times, sizes. One beyond 2^53 - 1 is cut to that, which
 * lies beyond every chain and every clock.
 */
export const integer = z.codec(uint64, z.int(), {
  decode: (value) => Number(value < HIGHEST ? value : HIGHEST),
  encode: (value) => BigInt(value),
});

/** A number that may have a fraction; without one it arrives as a bigint. */
export const decimal = z.codec(z.union([z.number(), z.bigint()]), z.number(), {
  decode: Number,
  encode: (value) => value,
});

/** Bytes as hex digits in either case, two a byte. */
export const hex = z.string().regex(/^(?:[0-9a-fA-F]{2})*$/);

/** A hash or a key: 32 bytes as hex digits in either case. */
export const hash = z.string().regex(/^[0-9a-fA-F]{64}$/);

/** An address of a wallet; which lengths and prefixes are right is the network's affair. */
export const addressText = z.string().meta({ description: 'An address' });

/** The member `status` of what went well. */
export const statusOk = z.literal('OK');
