import type * as NodeCrypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CONTAINER_HEADER_SIZE, SALT_SIZE } from '../../../src/container/format';
import { recordedWallets } from '../../support/recorded-wallets';

const saltOf = (path: string): string => {
  return readFileSync(path).toString('hex', CONTAINER_HEADER_SIZE - SALT_SIZE, CONTAINER_HEADER_SIZE);
};
const recorded = new Set(recordedWallets().map(({ path }) => saltOf(path)));

/**
 * `node:crypto` with one round of stretching for files that a test makes itself: half a million each would be most of what a
 * suite of dozens of wallets does. Recorded files are opened as they are, and the format is proved with those.
 */
export function withCheapKeys(crypto: typeof NodeCrypto): typeof NodeCrypto {
  const pbkdf2: typeof crypto.pbkdf2 = (password, salt, rounds, ...rest) => {
    const isRecorded = recorded.has(Buffer.from(salt as Buffer).toString('hex'));
    crypto.pbkdf2(password, salt, isRecorded ? rounds : 1, ...rest);
  };
  return { ...crypto, pbkdf2 };
}
