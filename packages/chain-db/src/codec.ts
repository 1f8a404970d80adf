import { CorruptDatabase } from './errors';

/** In which form a stored blob stands: the `codec` column beside it. */
export const Codec = {
  /** The bytes as they are serialized. */
  plain: 0,
} as const;

/**
 * The serialized bytes behind a stored blob.
 * @throws CorruptDatabase for a form that this program does not know
 */
export function decodeBlob(codec: number, blob: Buffer, where: string): Buffer {
  if (codec === Codec.plain) return blob;
  throw new CorruptDatabase(`${where} stands in form ${codec}, which this program does not know`);
}
