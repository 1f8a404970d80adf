/// <reference types="jest" />
import type * as NodeCrypto from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fixturePath } from './fixtures';

/*
 * A jest setup file: one PBKDF2 iteration for wallet files that a test creates, because 500,000 per file would be most of the
 * processor time of tests with many wallets. Recorded files are opened with all iterations, which tests the format. A test whose
 * files another process reads or writes calls `jest.unmock('node:crypto')`.
 */

/** Offsets of the salt in a container. They are not imported: the container module loads the mocked `node:crypto`. */
const SALT_START = 64;
const SALT_END = 80;

let recorded: ReadonlySet<string> | undefined;

function recordedSalts(): ReadonlySet<string> {
  const folder = fixturePath('devnet/wallets');
  const salts = readdirSync(folder)
    .filter((name) => name.endsWith('.wallet'))
    .map((name) => readFileSync(`${folder}/${name}`).toString('hex', SALT_START, SALT_END));
  return (recorded ??= new Set(salts));
}

jest.mock('node:crypto', () => {
  const crypto = jest.requireActual<typeof NodeCrypto>('node:crypto');
  const roundsFor = (salt: NodeCrypto.BinaryLike, rounds: number): number =>
    (recorded ?? recordedSalts()).has(Buffer.from(salt as Buffer).toString('hex')) ? rounds : 1;
  const pbkdf2: typeof crypto.pbkdf2 = (password, salt, rounds, ...rest) =>
    crypto.pbkdf2(password, salt, roundsFor(salt, rounds), ...rest);
  const pbkdf2Sync: typeof crypto.pbkdf2Sync = (password, salt, rounds, ...rest) =>
    crypto.pbkdf2Sync(password, salt, roundsFor(salt, rounds), ...rest);
  return { ...crypto, pbkdf2, pbkdf2Sync };
});
