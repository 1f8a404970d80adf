/** Length of a Levin header (docs/protocol/p2p.md#frames). */
export const HEADER_SIZE = 33;

/** `0x0101010101012101`, little-endian. */
export const SIGNATURE = Buffer.from('0121010101010101', 'hex');

const FLAG_REQUEST = 1;
const FLAG_RESPONSE = 2;
const PROTOCOL_VERSION = 1;

/** The return code for a handled request. */
export const RETURN_OK = 1;
/** The return code for an unknown command. */
export const RETURN_UNKNOWN_COMMAND = -6;

export type FrameKind = 'request' | 'notification' | 'response';

/** One message. `returnCode` is 0 except in responses; `body` is a key-value section or empty. */
export interface Frame {
  readonly command: number;
  readonly kind: FrameKind;
  readonly returnCode: number;
  readonly body: Buffer;
}

/** A received header. The declared length is untrusted: no memory is allocated based on it. */
export interface FrameHeader {
  readonly command: number;
  readonly kind: FrameKind;
  readonly returnCode: number;
  readonly length: bigint;
}

/** Parses the 33 bytes of a header; `undefined` if the signature is not that of Levin. */
export function decodeHeader(bytes: Buffer): FrameHeader | undefined {
  if (bytes.length < HEADER_SIZE || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const flags = bytes.readUInt32LE(25);
  const wantsReply = bytes[16] !== 0;
  // The response flag takes precedence over the request flag; otherwise two nodes could reply to each other forever.
  const kind: FrameKind = (flags & FLAG_RESPONSE) !== 0 ? 'response' : wantsReply ? 'request' : 'notification';
  return {
    command: bytes.readUInt32LE(17),
    kind,
    returnCode: bytes.readInt32LE(21),
    length: bytes.readBigUInt64LE(8),
  };
}

/** The 33 bytes before a frame's body. */
export function encodeHeader(frame: Frame): Buffer {
  const bytes = Buffer.alloc(HEADER_SIZE);
  SIGNATURE.copy(bytes, 0);
  bytes.writeBigUInt64LE(BigInt(frame.body.length), 8);
  bytes[16] = frame.kind === 'request' ? 1 : 0;
  bytes.writeUInt32LE(frame.command, 17);
  bytes.writeInt32LE(frame.returnCode, 21);
  bytes.writeUInt32LE(frame.kind === 'response' ? FLAG_RESPONSE : FLAG_REQUEST, 25);
  bytes.writeUInt32LE(PROTOCOL_VERSION, 29);
  return bytes;
}

/** The bytes of a frame: header, then body. */
export function encodeFrame(frame: Frame): Buffer {
  return Buffer.concat([encodeHeader(frame), frame.body]);
}
