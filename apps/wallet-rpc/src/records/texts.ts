import { isPaymentId } from '@wrkz/core-types';
import { applicationRefusal } from '../refusals';

/** A hash or a key in lower case; undefined for what is not 64 hex digits. */
export function hex64(text: string): string | undefined {
  return /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined;
}

/** @throws JsonRpcError 3 */
export function requireHash(text: string): string {
  const hash = hex64(text);
  if (hash === undefined) throw applicationRefusal('wrongHash');
  return hash;
}

/** A payment id in lower case, '' for none. @throws JsonRpcError 2 */
export function requirePaymentId(text: string): string {
  if (text !== '' && !isPaymentId(text)) throw applicationRefusal('wrongPaymentId');
  return text.toLowerCase();
}
