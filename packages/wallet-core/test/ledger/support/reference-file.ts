import { createDecipheriv, pbkdf2 } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { fixturePath } from '@wrkz/testing';

/** Layout: identifier, salt, ciphertext; the plain text begins with another identifier. */
const SALT_AT = 64;
const BODY_AT = 80;
const MARKER = 26;

interface FileSubWallet {
  readonly publicSpendKey: string;
  readonly unspentInputs: readonly Record<string, unknown>[];
  readonly lockedInputs: readonly Record<string, unknown>[];
  readonly spentInputs: readonly Record<string, unknown>[];
}

/** The outputs and transactions in a container of the reference. */
export interface ReferenceFile {
  readonly subWallets: {
    readonly subWallet: readonly FileSubWallet[];
    readonly transactions: readonly Record<string, unknown>[];
    readonly lockedTransactions: readonly Record<string, unknown>[];
  };
  readonly walletSynchronizer: {
    readonly transactionSynchronizerStatus: {
      readonly lastKnownBlockHashes: readonly string[];
      readonly lastKnownBlockHeight: number;
    };
  };
}

/** Decrypts a container of the reference, independently of the reader under test. */
export async function readReferenceFile(name: string, password: string): Promise<ReferenceFile> {
  const bytes = readFileSync(fixturePath(`devnet/${name}`));
  const salt = bytes.subarray(SALT_AT, BODY_AT);
  const key = await promisify(pbkdf2)(password, salt, 500_000, 16, 'sha256');
  const decipher = createDecipheriv('aes-128-cbc', key, salt);
  const plain = Buffer.concat([decipher.update(bytes.subarray(BODY_AT)), decipher.final()]);
  return JSON.parse(plain.toString('utf8', MARKER)) as ReferenceFile;
}
