import { z } from 'zod';

/*
 * Values of all services. JSON is parsed with every integer as bigint. A schema describes the JSON; a codec also has the type
 * that handlers use.
 */

const MAX_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);

/** An unsigned 64-bit integer as bigint, such as an amount. */
export const uint64 = z.uint64();

/** An unsigned integer as number: heights, counts, times, sizes. Clamped to 2^53 - 1. */
export const integer = z.codec(uint64, z.int(), {
  decode: (value) => Number(value < MAX_INTEGER ? value : MAX_INTEGER),
  encode: (value) => BigInt(value),
});

/** The global index of an output. Inputs of transactions contain it in 32 bits. */
export const globalIndex = z.codec(z.uint64().max(0xffff_ffffn), z.int(), {
  decode: Number,
  encode: BigInt,
});

/** A number, possibly with a fraction. Without a fraction it is parsed as bigint. */
export const decimal = z.codec(z.union([z.number(), z.bigint()]), z.number(), {
  decode: Number,
  encode: (value) => value,
});

/** Bytes, hex, upper or lower case. */
export const hex = z.string().regex(/^(?:[0-9a-fA-F]{2})*$/);

/** A hash or a key: 32 bytes, hex, upper or lower case. */
export const hash = z.string().regex(/^[0-9a-fA-F]{64}$/);

/** A wallet address. The network defines lengths and prefixes. */
export const addressText = z.string().meta({ description: 'Address' });

/** Field `status` of a successful response. */
export const statusOk = z.literal('OK');
