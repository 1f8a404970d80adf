/**
 * The dump file of the network's programs (node-operations 4): no header; for each block from index 1 on its height in
 * decimal, a space, the length of the body in decimal, a space, the body, a space. The body is what core-types calls a
 * raw block record.
 */

/** A record that is not what the format says; the position is in bytes from the start of the file. */
export class DumpError extends Error {
  override readonly name = 'DumpError';
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(`${message} (at byte ${String(position)} of the dump file)`);
  }
}

/** The first block of a dump: genesis is never written. */
export const FIRST_DUMP_HEIGHT = 1;
/** Bytes of the longest body that is read. The hard block size stays below 4 MiB for centuries. */
export const MAX_DUMP_BLOCK = 16 * 1024 * 1024;

const SPACE = Buffer.from(' ');

/** One record, ready to be written. */
export function dumpRecord(height: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${String(height)} ${String(body.length)} `), body, SPACE]);
}
