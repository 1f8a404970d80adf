import { readFileSync } from 'node:fs';
import { errorText, parseJson, UsageError } from '@wrkz/service-kit';
import { hash, uint64 } from '@wrkz/api';
import { z } from 'zod';

/** What a key is good for; each scope has the rights of those before it. */
export const KEY_SCOPES = ['read', 'receive', 'send', 'admin'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

const keyName = z.string().regex(/^[\w.-]{1,64}$/);

const scopedKey = z.strictObject({
  name: keyName,
  /** SHA-256 of the key, hex. */
  hash,
  scope: z.enum(KEY_SCOPES),
  /** Atomic units that it may send in a day, fees counted in; without it there is no limit. */
  dailyLimit: uint64.optional(),
  /** The only addresses that it may send to. */
  allowedAddresses: z.array(z.string()).optional(),
});

const keyFile = z.array(scopedKey);

/** A key beside the main one, with less rights. */
export type ScopedKey = z.output<typeof scopedKey>;

/**
 * Reads the file of scoped keys (docs/operations/wallet-api.md#scoped-keys).
 * @throws UsageError that names what is wrong with it
 */
export function readKeyFile(path: string): ScopedKey[] {
  const refuse = (why: string): UsageError => new UsageError(`--rpc-key-file: ${path}: ${why}`);
  let json: unknown;
  try {
    json = parseJson(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(errorText(error));
  }
  const parsed = keyFile.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const names = parsed.data.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw refuse(`two keys are named ${twice}`);
  return parsed.data;
}
