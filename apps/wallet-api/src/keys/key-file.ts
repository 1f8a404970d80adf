import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorText, parseJson, UsageError } from '@wrkz/service-kit';
import { hash, uint64 } from '@wrkz/api';
import { checkAddress } from '@wrkz/wallet-core';
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
 * @param password the main key, which must not be one of them: it would open everything
 * @throws UsageError that names what is wrong with it
 */
export function readKeyFile(path: string, password: string): ScopedKey[] {
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
  const keys = parsed.data.map((key) => ({ ...key, hash: key.hash.toLowerCase() }));
  const fault = faultOf(keys, createHash('sha256').update(password).digest('hex'));
  if (fault !== undefined) throw refuse(fault);
  return keys;
}

/** What no single key shows. */
function faultOf(keys: readonly ScopedKey[], mainHash: string): string | undefined {
  const hashes = new Map([[mainHash, 'the main one']]);
  const names = new Set<string>();
  for (const { name, hash, allowedAddresses = [] } of keys) {
    const other = hashes.get(hash);
    if (names.has(name)) return `two keys are named ${name}`;
    if (other !== undefined) return `the key ${name} is the same as ${other}`;
    names.add(name);
    hashes.set(hash, name);
    for (const address of allowedAddresses) {
      const complaint = complaintOf(address);
      if (complaint !== undefined) return `the key ${name} allows ${address}: ${complaint}`;
    }
  }
  return undefined;
}

function complaintOf(address: string): string | undefined {
  try {
    checkAddress(address, { allowIntegrated: true });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
