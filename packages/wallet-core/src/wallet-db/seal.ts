import { createCipheriv, createDecipheriv, createHmac, randomFillSync } from 'node:crypto';

/*
 * Sealing of rows: AES-256-GCM over a JSON text, and blind identifiers instead of keys
 * (docs/protocol/wallet.md#wallet-database). Both secrets are derived from the private view key, which is encrypted in the
 * container.
 */

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 16;

/** Texts are padded to a multiple of this size, so that row lengths reveal little about the content. */
const PADDED_BYTES = 64;

/** The plain-text columns of a row. The seal authenticates them. */
export interface RowPlace {
  readonly table: string;
  readonly id: Buffer;
  readonly sequence: number;
}

export class RowSealer {
  private readonly sealKey: Buffer;
  private readonly indexKey: Buffer;
  /** Buffered random bytes for nonces: a system call per nonce would take a third of the time per row. */
  private readonly random = Buffer.alloc(NONCE_BYTES * 256);
  private randomUsed = this.random.length;

  /** @param privateViewKey 64 hex characters */
  constructor(privateViewKey: string) {
    const derive = (purpose: string): Buffer =>
      createHmac('sha256', Buffer.from(privateViewKey, 'hex')).update(purpose).digest();
    this.sealKey = derive('wallet database: seal');
    this.indexKey = derive('wallet database: index');
  }

  /** The blind identifier of a key: a 16-byte MAC, keyed by a secret derived from the private view key. */
  id(table: string, key: string): Buffer {
    return createHmac('sha256', this.indexKey).update(`${table}\0${key}`).digest().subarray(0, ID_BYTES);
  }

  /** @returns nonce, tag and ciphertext, concatenated */
  seal(place: RowPlace, row: unknown): Buffer {
    const nonce = this.nonce();
    const cipher = createCipheriv(CIPHER, this.sealKey, nonce).setAAD(placeBytes(place));
    const ciphertext = Buffer.concat([cipher.update(padded(encodeRow(row))), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** @throws Error when the row was sealed under another key, or a byte of it was changed */
  unseal(place: RowPlace, sealed: Buffer): unknown {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, this.sealKey, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(placeBytes(place)).setAuthTag(tag);
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return decodeRow(text.toString('utf8'));
  }

  isAuthentic(place: RowPlace, sealed: Buffer): boolean {
    try {
      this.unseal(place, sealed);
      return true;
    } catch {
      return false;
    }
  }

  private nonce(): Buffer {
    if (this.randomUsed === this.random.length) {
      randomFillSync(this.random);
      this.randomUsed = 0;
    }
    this.randomUsed += NONCE_BYTES;
    return this.random.subarray(this.randomUsed - NONCE_BYTES, this.randomUsed);
  }
}

function placeBytes({ table, id, sequence }: RowPlace): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(sequence));
  return Buffer.concat([Buffer.from(`${table}\0`), id, number]);
}

/** Pads with trailing spaces, which JSON ignores. */
function padded(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Math.ceil(bytes.length / PADDED_BYTES) * PADDED_BYTES;
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length, ' ')]);
}

/**
 * Encodes JSON with exact bigints (`~n5`), Buffers (`~b` and base64) and Maps (`{"~m":[[key, value]]}`). A string that begins
 * with `~` is prefixed with `~s`.
 */
export function encodeRow(row: unknown): string {
  // `converted` is the result of `toJSON`. A Buffer can only be recognised before that conversion.
  return JSON.stringify(row, function (this: Record<string, unknown>, name: string, converted: unknown) {
    const value = this[name];
    if (typeof value === 'bigint') return `~n${value}`;
    if (Buffer.isBuffer(value)) return `~b${value.toString('base64')}`;
    if (value instanceof Map) return { '~m': [...value] };
    return typeof value === 'string' && value.startsWith('~') ? `~s${value}` : converted;
  });
}

export function decodeRow(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown) => {
    if (typeof value === 'object' && value !== null && '~m' in value)
      return new Map(value['~m'] as [unknown, unknown][]);
    if (typeof value !== 'string' || !value.startsWith('~')) return value;
    const rest = value.slice(2);
    if (value.startsWith('~n')) return BigInt(rest);
    return value.startsWith('~b') ? Buffer.from(rest, 'base64') : rest;
  });
}
