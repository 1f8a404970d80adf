import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';

const FILE_MARKER = 'If I pull that off, will you die?\nIt would be extremely painful.';
const INNER_MARKER = "You're a big guy.\nFor you.";

/** A container with any content, encrypted by an independent implementation of the published format. */
export function containerOf(password: string, plain: string | Buffer, marker = INNER_MARKER): Buffer {
  const salt = randomBytes(16);
  const key = pbkdf2Sync(password, salt, 500_000, 16, 'sha256');
  const cipher = createCipheriv('aes-128-cbc', key, salt);
  const encrypted = [cipher.update(marker), cipher.update(plain), cipher.final()];
  return Buffer.concat([Buffer.from(FILE_MARKER), salt, ...encrypted]);
}
