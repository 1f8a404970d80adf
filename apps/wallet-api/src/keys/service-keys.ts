import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type HttpError, refusal } from '@wrkz/service-kit';
import { AttemptLimiter } from '@wrkz/wallet-server';
import { KEY_SCOPES, type KeyScope, type ScopedKey } from './key-file';

/** What the key of a request allows. */
export interface KeyGrant {
  /** '' of the main key. */
  readonly name: string;
  readonly scope: KeyScope;
  readonly dailyLimit: bigint | undefined;
  readonly allowedAddresses: readonly string[] | undefined;
}

const MAIN: KeyGrant = { name: '', scope: 'admin', dailyLimit: undefined, allowedAddresses: undefined };

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Knows the keys, and whose key a request bears. Who guesses is no longer looked at for the rest of the minute. */
export class ServiceKeys {
  readonly #rows: readonly { readonly digest: Buffer; readonly grant: KeyGrant }[];
  readonly #grants = new WeakMap<IncomingMessage, KeyGrant>();
  readonly #wrong: AttemptLimiter;

  constructor(password: string, scoped: readonly ScopedKey[], now: () => number = Date.now) {
    this.#wrong = new AttemptLimiter(now);
    this.#rows = [
      { digest: digest(password), grant: MAIN },
      ...scoped.map(({ name, hash, scope, dailyLimit, allowedAddresses }) => {
        return { digest: Buffer.from(hash, 'hex'), grant: { name, scope, dailyLimit, allowedAddresses } };
      }),
    ];
  }

  /** Looks for the key among all of them, in a time that does not depend on which one it is. */
  readonly judge = (presented: string, request: IncomingMessage): HttpError | undefined => {
    const tooMany = this.#wrong.refusal(request);
    if (tooMany !== undefined) return tooMany;
    const shown = digest(presented);
    let grant: KeyGrant | undefined;
    for (const row of this.#rows) if (timingSafeEqual(row.digest, shown)) grant ??= row.grant;
    if (grant === undefined || presented === '') {
      this.#wrong.count(request);
      return refusal('unauthorized');
    }
    this.#grants.set(request, grant);
    return undefined;
  };

  /** @throws Error for a request whose route asks for no key */
  grantOf(request: IncomingMessage): KeyGrant {
    const grant = this.#grants.get(request);
    if (grant === undefined) throw new Error('this request was not asked for a key');
    return grant;
  }
}

/** Whether a key of one scope has the rights of another. */
export function covers(has: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(has) >= KEY_SCOPES.indexOf(needed);
}
