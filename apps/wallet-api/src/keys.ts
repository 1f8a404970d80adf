import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hash, integer, uint64 } from '@wrkz/api';
import { errorText, type HttpError, parseJson, readOperatorFile, UsageError } from '@wrkz/service-kit';
import { checkAddress } from '@wrkz/wallet-core';
import { AttemptLimiter, type AttemptLimiterOptions } from '@wrkz/wallet-server';
import { z } from 'zod';

/** The scopes of API keys. Each scope includes the rights of the previous ones. */
export const KEY_SCOPES = ['read', 'receive', 'send', 'admin'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

const scopedKey = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/),
  /** SHA-256 of the key, hex. */
  hash,
  scope: z.enum(KEY_SCOPES),
  /** Atomic units per day, including fees and locked change. Default: no limit. */
  dailyLimit: uint64.optional(),
  /** Atomic units per transaction. Default: no limit. */
  maxFee: uint64.optional(),
  /** Max blocks until the unlock time of a send. Default: 1,440 for scopes below admin, no limit for admin. */
  maxUnlockBlocks: integer.optional(),
  /** Addresses that the key may send to. Default: any address. */
  allowedAddresses: z.array(z.string()).optional(),
});

/** An entry of the key file. */
export type ScopedKey = z.output<typeof scopedKey>;

/** The rights of an API key. The name of the main key is ''. */
export type KeyGrant = Omit<ScopedKey, 'hash'>;

const MAIN_GRANT: KeyGrant = { name: '', scope: 'admin' };

/** Whether a scope includes the rights of the needed scope. */
export function covers(scope: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(scope) >= KEY_SCOPES.indexOf(needed);
}

/**
 * Reads the key file (docs/operations/wallet-api.md#scoped-keys).
 * @param password the main key. No entry may equal it, because the main key has all rights
 * @throws UsageError that describes the invalid entry
 */
export function readKeyFile(path: string, password: string): ScopedKey[] {
  const invalid = (why: string): UsageError => new UsageError(`--rpc-key-file: ${path}: ${why}`);
  let json: unknown;
  try {
    json = parseJson(readOperatorFile(path).toString('utf8'));
  } catch (error) {
    throw invalid(errorText(error));
  }
  const parsed = z.array(scopedKey).safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const keys = parsed.data.map((key) => ({ ...key, hash: key.hash.toLowerCase() }));
  const fault = findFault(keys, sha256(password).toString('hex'));
  if (fault !== undefined) throw invalid(fault);
  return keys;
}

/** Checks for duplicate names, duplicate keys and invalid addresses. @returns an error text */
function findFault(keys: readonly ScopedKey[], mainHash: string): string | undefined {
  const nameByHash = new Map([[mainHash, 'the main one']]);
  const names = new Set<string>();
  for (const { name, hash, allowedAddresses = [] } of keys) {
    const other = nameByHash.get(hash);
    if (names.has(name)) return `two keys are named ${name}`;
    if (other !== undefined) return `the key ${name} is the same as ${other}`;
    names.add(name);
    nameByHash.set(hash, name);
    for (const address of allowedAddresses) {
      const reason = addressFault(address);
      if (reason !== undefined) return `the key ${name} allows ${address}: ${reason}`;
    }
  }
  return undefined;
}

function addressFault(address: string): string | undefined {
  try {
    checkAddress(address, { allowIntegrated: true });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

interface AuthenticatedKey {
  /** SHA-256 of the key. */
  readonly digest: Buffer;
  readonly grant: KeyGrant;
}

/** Authenticates requests: identifies the API key and limits wrong attempts per client address. */
export class Authenticator {
  private readonly mainKey: AuthenticatedKey;
  private scopedKeys: readonly AuthenticatedKey[] = [];
  private readonly grants = new WeakMap<IncomingMessage, KeyGrant>();
  private readonly attempts: AttemptLimiter;

  constructor(password: string, scoped: readonly ScopedKey[], limits: AttemptLimiterOptions = {}) {
    this.attempts = new AttemptLimiter(limits);
    this.mainKey = { digest: sha256(password), grant: MAIN_GRANT };
    this.setScopedKeys(scoped);
  }

  /** Replaces the keys of the key file. Requests that are already authenticated retain their rights. */
  setScopedKeys(scoped: readonly ScopedKey[]): void {
    this.scopedKeys = scoped.map(({ hash, ...grant }) => ({ digest: Buffer.from(hash, 'hex'), grant }));
  }

  /** Compares with every key, so that the time does not depend on the matching key. @returns the error: 401 or 429 */
  readonly authenticate = (presented: string, request: IncomingMessage): Promise<HttpError | undefined> =>
    this.attempts.check(request, presented, () => {
      const digest = sha256(presented);
      let grant: KeyGrant | undefined;
      for (const key of [this.mainKey, ...this.scopedKeys])
        if (timingSafeEqual(key.digest, digest)) grant ??= key.grant;
      if (grant !== undefined) this.grants.set(request, grant);
      return grant !== undefined;
    });

  /** @throws Error for a request that was not authenticated */
  grantOf(request: IncomingMessage): KeyGrant {
    const grant = this.grants.get(request);
    if (grant === undefined) throw new Error('this request was not authenticated');
    return grant;
  }
}
