import { compress, decompress, init } from '@bokuweb/zstd-wasm';
import zlib from 'node:zlib';

/** One zstd frame at a time. */
export interface Zstd {
  /** At level 10, with the raw length in the frame. */
  compress(raw: Buffer): Buffer;
  /** @throws Error for what is no frame of exactly `rawLength` bytes */
  decompress(frame: Buffer, rawLength: number): Buffer;
}

const LEVEL = 10;

/** What node:zlib has from Node.js 22.15 on. */
interface NodeZstd {
  readonly constants: { readonly ZSTD_c_compressionLevel: number };
  zstdCompressSync(raw: Buffer, options: { params: Record<number, number>; pledgedSrcSize?: number }): Buffer;
  zstdDecompressSync(frame: Buffer, options: { maxOutputLength: number }): Buffer;
}

/** Node.js's own where it has one, else the same library as WebAssembly. */
export function loadZstd(): Promise<Zstd> {
  return 'zstdCompressSync' in zlib ? Promise.resolve(fromNode(zlib as unknown as NodeZstd)) : fromWasm();
}

export function fromNode(library: NodeZstd): Zstd {
  const params = { [library.constants.ZSTD_c_compressionLevel]: LEVEL };
  return {
    compress: (raw) => library.zstdCompressSync(raw, { params, pledgedSrcSize: raw.length }),
    decompress: (frame, rawLength) => {
      assertFrameHeader(frame, rawLength);
      return exactly(library.zstdDecompressSync(frame, { maxOutputLength: Math.max(1, rawLength) }), rawLength);
    },
  };
}

/** Made once a thread: a second one would take the memory of the first away. */
let loaded: Promise<void> | undefined;

export async function fromWasm(): Promise<Zstd> {
  await (loaded ??= init());
  const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    compress: (raw) => view(compress(raw, LEVEL)),
    decompress: (frame, rawLength) => {
      assertFrameHeader(frame, rawLength);
      return exactly(view(decompress(frame, { defaultHeapSize: rawLength })), rawLength);
    },
  };
}

function exactly(raw: Buffer, length: number): Buffer {
  if (raw.length !== length) throw new Error(`the frame holds ${raw.length} bytes and not ${length}`);
  return raw;
}

const MAGIC = 0xfd2f_b528;

/** Window of the level that every known program writes with: 4 MiB. */
const WINDOW = (22 - 10) << 3;

/**
 * A frame may say how long its contents are, and memory is taken by that (RFC 8878, 3.1.1.1): what says otherwise than the
 * file does is refused before. So is what a decoder would pass over, or else one flipped bit could go unnoticed.
 * @throws Error
 */
function assertFrameHeader(frame: Buffer, rawLength: number): void {
  if (frame.length < 6 || frame.readUInt32LE(0) !== MAGIC) throw new Error('no zstd frame');
  const descriptor = frame[4] as number;
  const isSingle = (descriptor & 0x20) !== 0;
  if ((descriptor & 0x1f) !== 0) throw new Error('a frame with a checksum, a dictionary or unknown flags');
  if (!isSingle && frame[5] !== WINDOW) throw new Error('a frame of another level');
  const width = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  const at = 5 + (isSingle ? 0 : 1);
  if (width === 0) throw new Error('a frame that does not say how long its contents are');
  if (frame.length < at + width) throw new Error('no zstd frame');
  const stated =
    width === 8 ? frame.readBigUInt64LE(at) : BigInt(frame.readUIntLE(at, width) + (width === 2 ? 256 : 0));
  if (stated !== BigInt(rawLength))
    throw new Error(`the frame says that it holds ${stated} bytes and not ${rawLength}`);
}
