import type * as ZstdWasm from '@bokuweb/zstd-wasm';
import zlib from 'node:zlib';

/** Compresses and decompresses one zstd frame at a time. */
export interface Zstd {
  /** Level 10; the frame header states the raw length. */
  compress(raw: Buffer): Buffer;
  /** @throws Error if the frame does not hold exactly `rawLength` bytes */
  decompress(frame: Buffer, rawLength: number): Buffer;
}

const LEVEL = 10;

/** Node.js has zstd in node:zlib since 22.15 and 23.8. */
interface NodeZstd {
  readonly constants: { readonly ZSTD_c_compressionLevel: number };
  zstdCompressSync(raw: Buffer, options: { params: Record<number, number>; pledgedSrcSize?: number }): Buffer;
  zstdDecompressSync(frame: Buffer, options: { maxOutputLength: number }): Buffer;
}

/** Uses node:zlib if it has zstd; only otherwise the WebAssembly library is loaded. */
export function loadZstd(library: object = zlib): Promise<Zstd> {
  return 'zstdCompressSync' in library ? Promise.resolve(fromNode(library as NodeZstd)) : fromWasm();
}

function fromNode(library: NodeZstd): Zstd {
  const params = { [library.constants.ZSTD_c_compressionLevel]: LEVEL };
  return {
    compress: (raw) => library.zstdCompressSync(raw, { params, pledgedSrcSize: raw.length }),
    decompress: (frame, rawLength) => {
      assertFrameHeader(frame, rawLength);
      return assertLength(library.zstdDecompressSync(frame, { maxOutputLength: Math.max(1, rawLength) }), rawLength);
    },
  };
}

/** Initialized once per thread: a second instance would take the memory of the first. */
let initialized: Promise<void> | undefined;

async function fromWasm(): Promise<Zstd> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it in any case
  const { compress, decompress, init } = require('@bokuweb/zstd-wasm') as typeof ZstdWasm;
  await (initialized ??= init());
  const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    compress: (raw) => view(compress(raw, LEVEL)),
    decompress: (frame, rawLength) => {
      assertFrameHeader(frame, rawLength);
      return assertLength(view(decompress(frame, { defaultHeapSize: rawLength })), rawLength);
    },
  };
}

function assertLength(raw: Buffer, length: number): Buffer {
  if (raw.length !== length) throw new Error(`the frame holds ${raw.length} bytes and not ${length}`);
  return raw;
}

const MAGIC = 0xfd2f_b528;
/** Window descriptor of level 10, which every known program writes: 4 MiB. */
const WINDOW = (22 - 10) << 3;

/**
 * A decoder allocates memory by the content size in the frame header (RFC 8878, 3.1.1.1), so a frame that states another length
 * than the file is rejected before. Fields that a decoder ignores are rejected too: a flipped bit in them would go unnoticed.
 */
function assertFrameHeader(frame: Buffer, rawLength: number): void {
  if (frame.length < 6 || frame.readUInt32LE(0) !== MAGIC) throw new Error('no zstd frame');
  const descriptor = frame[4] as number;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if ((descriptor & 0x1f) !== 0) throw new Error('a frame with a checksum, a dictionary or unknown flags');
  if (!isSingleSegment && frame[5] !== WINDOW) throw new Error('a frame of another level');
  const width = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  const at = 5 + (isSingleSegment ? 0 : 1);
  if (width === 0) throw new Error('a frame that does not state the length of its contents');
  if (frame.length < at + width) throw new Error('no zstd frame');
  const stated =
    width === 8 ? frame.readBigUInt64LE(at) : BigInt(frame.readUIntLE(at, width) + (width === 2 ? 256 : 0));
  if (stated !== BigInt(rawLength)) throw new Error(`the frame states ${stated} bytes and not ${rawLength}`);
}
