import {
  checkAddress,
  dayOf,
  type FinishedSend,
  walletError,
  walletErrorOfCode,
  walletErrorRows,
} from '@wrkz/wallet-core';
import type { KeyGrant } from './keys';
import type { OpenWallet } from './wallet-manager';

/** Entries of the bounded maps below; the oldest entry is evicted. */
const MAX_ENTRIES = 1_000;

/** What a transaction takes out of the wallet, fee included, atomic units. */
export function outgoingAmount({ intent }: Pick<FinishedSend, 'intent'>): bigint {
  const inputSum = intent.inputs.reduce((sum, { output }) => sum + output.amount, 0n);
  return intent.ownOutputs.reduce((rest, { amount }) => rest - amount, inputSum);
}

/** @throws WalletError keyLimitExceeded for an address outside `allowedAddresses` */
export function checkDestinations(
  { allowedAddresses }: KeyGrant,
  destinations: readonly { readonly address: string }[],
): void {
  if (allowedAddresses === undefined) return;
  for (const { address } of destinations) {
    const { plain } = checkAddress(address, { allowIntegrated: true });
    if (!allowedAddresses.includes(address) && !allowedAddresses.includes(plain)) throw addressNotAllowed();
  }
}

export function addressNotAllowed(): Error {
  return walletErrorOfCode(walletErrorRows.keyLimitExceeded.code, 'This key may not send to that address.');
}

/** The API key that prepared each transaction. A key with `allowedAddresses` may send and drop only its own ones. */
export class PreparedOwners {
  readonly #nameByHash = new Map<string, string>();

  record(hash: string, name: string): void {
    evictOldest(this.#nameByHash);
    this.#nameByHash.set(hash.toLowerCase(), name);
  }

  mayUse({ name, allowedAddresses }: KeyGrant, hash: string): boolean {
    return allowedAddresses === undefined || this.#nameByHash.get(hash.toLowerCase()) === name;
  }
}

/** Transactions with an unknown outcome that are already counted against the limit of a key. */
export class UncertainSends {
  readonly #known = new Set<string>();

  record(name: string, hash: string): void {
    evictOldest(this.#known);
    this.#known.add(`${hash} ${name}`);
  }

  has(name: string, hash: string): boolean {
    return this.#known.has(`${hash} ${name}`);
  }
}

function evictOldest(entries: Pick<Set<string>, 'size' | 'delete'> & { keys(): Iterable<string> }): void {
  if (entries.size < MAX_ENTRIES) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}

interface Dependencies {
  readonly grant: KeyGrant;
  readonly open: OpenWallet;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly uncertain: UncertainSends;
}

/** Charges the sends of one request against the `dailyLimit` of its key, and refunds rejected ones. Days are UTC. */
export class DailyLimit {
  readonly #charged = new Map<string, { readonly day: number; readonly amount: bigint }>();
  #wasExceeded = false;

  constructor(private readonly dependencies: Dependencies) {}

  /** @throws WalletError keyLimitExceeded */
  charge(send: FinishedSend): void {
    const { grant, open, now, uncertain } = this.dependencies;
    const { name, dailyLimit } = grant;
    if (dailyLimit === undefined || uncertain.has(name, send.hash)) return;
    const [day, amount] = [dayOf(now()), outgoingAmount(send)];
    this.#wasExceeded = !open.sideFile.spending.reserve(name, day, amount, dailyLimit);
    if (this.#wasExceeded) throw walletError.keyLimitExceeded();
    this.#charged.set(send.hash, { day, amount });
  }

  /**
   * A sweep reports errors per entry. If the limit blocked all of them, the request fails. @throws WalletError
   * keyLimitExceeded
   */
  requireCharge(): void {
    if (this.#wasExceeded && this.#charged.size === 0) throw walletError.keyLimitExceeded();
  }

  /** The outcome is unknown: the charge stays, and a resubmission of the same transaction is free. */
  markUncertain({ hash }: FinishedSend): void {
    const { grant, uncertain } = this.dependencies;
    if (this.#charged.has(hash)) uncertain.record(grant.name, hash);
  }

  refund({ hash }: FinishedSend): void {
    const { grant, open } = this.dependencies;
    const charged = this.#charged.get(hash);
    this.#charged.delete(hash);
    if (charged !== undefined) open.sideFile.spending.giveBack(grant.name, charged.day, charged.amount);
  }
}
