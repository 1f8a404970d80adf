/* The frame of a container (docs/protocol/wallet.md#container). */

/** What every container begins with. */
export const FILE_MARKER = Buffer.from('If I pull that off, will you die?\nIt would be extremely painful.');
/** What stands before the JSON, encrypted with it: it tells the right password. */
export const CONTENT_MARKER = Buffer.from("You're a big guy.\nFor you.");
/** Bytes of the salt, which is the initialisation vector as well. */
export const SALT_SIZE = 16;
export const CONTAINER_HEADER_SIZE = FILE_MARKER.length + SALT_SIZE;
export const CIPHER = 'aes-128-cbc';
export const KEY_SIZE = 16;
export const ROUNDS = 500_000;

/** Whether a file is a container, by its first bytes: {@link CONTAINER_HEADER_SIZE} of them are enough. */
export function isContainer(start: Uint8Array): boolean {
  return FILE_MARKER.equals(start.subarray(0, FILE_MARKER.length));
}
