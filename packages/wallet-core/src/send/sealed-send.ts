import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { FinishedSend } from '../wallet/ports';

/*
 * A finished send in the side file. That file is no secret of itself and a send has secrets in it (the transaction key, one-time
 * keys of its inputs, who is paid), so it is sealed: nonce, tag, then AES-256-GCM of a JSON text (docs/protocol/wallet.md#side-file).
 */

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
const PURPOSE = 'sends of the side file';

/** @param privateViewKey of the wallet, hex */
export function sealSend(send: FinishedSend, privateViewKey: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, sealKey(privateViewKey), nonce);
  const sealed = Buffer.concat([cipher.update(textOf(send), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error when it was not sealed by this wallet, or is damaged */
export function unsealSend(sealed: Buffer, privateViewKey: string): FinishedSend {
  const decipher = createDecipheriv(CIPHER, sealKey(privateViewKey), sealed.subarray(0, NONCE));
  decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]);
  return sendOf(text.toString('utf8'));
}

function sealKey(privateViewKey: string): Buffer {
  return createHmac('sha256', Buffer.from(privateViewKey, 'hex')).update(PURPOSE).digest();
}

/** Amounts are the only text with this ending: everything else is hex or a word of none. */
const AMOUNT = /^-?\d+n$/;

function textOf({ bytes, ...send }: FinishedSend): string {
  return JSON.stringify({ ...send, bytes: bytes.toString('hex') }, (_name, value: unknown) =>
    typeof value === 'bigint' ? `${String(value)}n` : value,
  );
}

function sendOf(text: string): FinishedSend {
  const { bytes, ...send } = JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'string' && AMOUNT.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Omit<FinishedSend, 'bytes'> & { readonly bytes: string };
  return { ...send, bytes: Buffer.from(bytes, 'hex') };
}
