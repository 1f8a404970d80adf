/// <reference types="jest" />
import type * as NodeCrypto from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fixturePath } from './fixtures';
import { madeOnce } from './made-once';

/*
 * A jest setup file: one PBKDF2 iteration for wallet files that a test creates, because 500,000 per file would be most of the
 * processor time of tests with many wallets. Keys of recorded files are derived with all iterations, which tests the format,
 * once per run and password. A test whose files another process reads or writes calls `jest.unmock('node:crypto')`.
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

const isRecorded = (salt: NodeCrypto.BinaryLike): boolean =>
  (recorded ?? recordedSalts()).has(Buffer.from(salt as Buffer).toString('hex'));

jest.mock('node:crypto', () => {
  const crypto = jest.requireActual<typeof NodeCrypto>('node:crypto');
  const derive = promisify(crypto.pbkdf2);
  const deriveOnce = async (...args: Parameters<typeof derive>): Promise<Buffer> => {
    const [password, salt, ...rest] = args;
    const id = crypto.createHash('sha256');
    for (const part of [password, salt, rest.join()]) id.update(part as Buffer).update(';');
    const folder = await madeOnce(`key-${id.digest('hex')}`, async (made) =>
      writeFileSync(join(made, 'key'), await derive(...args)),
    );
    return folder === undefined ? derive(...args) : readFileSync(join(folder, 'key'));
  };
  const pbkdf2: typeof crypto.pbkdf2 = (password, salt, rounds, size, digest, callback) => {
    if (!isRecorded(salt)) {
      crypto.pbkdf2(password, salt, 1, size, digest, callback);
      return;
    }
    deriveOnce(password, salt, rounds, size, digest).then(
      (key) => callback(null, Buffer.from(key)),
      (error: Error) => callback(error, Buffer.alloc(0)),
    );
  };
  const pbkdf2Sync: typeof crypto.pbkdf2Sync = (password, salt, _rounds, ...rest) =>
    crypto.pbkdf2Sync(password, salt, 1, ...rest);
  return { ...crypto, pbkdf2, pbkdf2Sync };
});
