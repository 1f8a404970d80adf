import type * as NodeCrypto from 'node:crypto';
import type { BinaryLike } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { recordedWallets } from '../../support/recorded-wallets';

/** Offsets of the salt in a container. They are not imported: the container module loads the mocked `node:crypto`. */
const SALT_START = 64;
const SALT_END = 80;

const saltOf = (path: string): string => readFileSync(path).toString('hex', SALT_START, SALT_END);
const recorded = new Set(recordedWallets().map(({ path }) => saltOf(path)));

/**
 * `node:crypto` with one PBKDF2 iteration for files that a test creates: 500,000 for each file would be most of the time of a
 * suite with dozens of wallets. Recorded files are opened with all iterations, which tests the format.
 */
export function withCheapKeys(crypto: typeof NodeCrypto): typeof NodeCrypto {
  const roundsFor = (salt: BinaryLike, rounds: number): number =>
    recorded.has(Buffer.from(salt as Buffer).toString('hex')) ? rounds : 1;
  const pbkdf2: typeof crypto.pbkdf2 = (password, salt, rounds, ...rest) =>
    crypto.pbkdf2(password, salt, roundsFor(salt, rounds), ...rest);
  const pbkdf2Sync: typeof crypto.pbkdf2Sync = (password, salt, rounds, ...rest) =>
    crypto.pbkdf2Sync(password, salt, roundsFor(salt, rounds), ...rest);
  return { ...crypto, pbkdf2, pbkdf2Sync };
}
