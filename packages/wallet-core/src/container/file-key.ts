import { pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { KEY_SIZE, ROUNDS, SALT_SIZE } from './format';

const stretch = promisify(pbkdf2);

/** The key of one version of a file. */
export interface FileKey {
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** Derives a key on a thread of libuv's pool: a quarter of a second of one core. */
export async function deriveFileKey(password: string, salt: Buffer = randomBytes(SALT_SIZE)): Promise<FileKey> {
  return { salt, key: await stretch(password, salt, ROUNDS, KEY_SIZE, 'sha256') };
}

/**
 * Keys for saving: every version of a file has a salt of its own, and the key for the next one is derived while nobody waits,
 * so that a send, which saves before it answers, does not wait for half a million rounds.
 */
export class FileKeys {
  private next: Promise<FileKey> | undefined;

  constructor(private password: string) {}

  /** The key for one save; the one after it is begun on. */
  async take(): Promise<FileKey> {
    const key = await (this.next ?? deriveFileKey(this.password));
    this.prepare();
    return key;
  }

  /** Whether the password is this one. */
  isPassword(password: string): boolean {
    return password === this.password;
  }

  /** @returns the password before */
  change(password: string): string {
    const before = this.password;
    this.password = password;
    this.next = undefined;
    return before;
  }

  private prepare(): void {
    this.next = deriveFileKey(this.password);
    // Who takes it hears of a failure.
    this.next.catch(() => undefined);
  }
}
