import { type Network, parseTransaction, UNLOCK_TIME_BOUNDARY } from '@wrkz/core-types';
import { checkAddress, type SignedSend, utcDayOf, type Wallet, walletError, walletErrorOf } from '@wrkz/wallet-core';
import type { KeyGrant } from './keys';
import type { OpenWallet } from './wallet-manager';

/** Max number of entries of `UncertainSends`. Above it the oldest entry is evicted. */
const MAX_ENTRIES = 1_000;

type Pending = Pick<SignedSend, 'pending'>;

/** Atomic units. */
function inputAmount({ pending }: Pending): bigint {
  return pending.inputs.reduce((sum, { output }) => sum + output.amount, 0n);
}

/** Amount that leaves the wallet including the fee, atomic units. */
function outgoingAmount({ pending }: Pending): bigint {
  return pending.ownOutputs.reduce((rest, { amount }) => rest - amount, inputAmount({ pending }));
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

const addressNotAllowed = (): Error => limitExceeded('This key may not send to that address.');

const limitExceeded = (text: string): Error => walletErrorOf('keyLimitExceeded', text);

/** Whether a key may delete a prepared transaction. A key with `allowedAddresses` may delete only its own. */
export function mayUsePrepared({ name, allowedAddresses }: KeyGrant, { db }: Wallet, hash: string): boolean {
  return allowedAddresses === undefined || db.prepared.get(hash.toLowerCase())?.creator === name;
}

/**
 * Requires that a key may send a prepared transaction. The addresses of the key may have changed since the preparation.
 * @throws WalletError keyLimitExceeded
 */
export function checkPrepared(grant: KeyGrant, wallet: Wallet, hash: string): void {
  if (grant.allowedAddresses === undefined) return;
  const { destinations } = wallet.db.prepared.get(hash.toLowerCase()) ?? {};
  if (destinations === undefined || !mayUsePrepared(grant, wallet, hash)) throw addressNotAllowed();
  checkDestinations(
    grant,
    destinations.map((address) => ({ address })),
  );
}

/** Transactions with an unknown outcome that were already charged against the limit of a key. */
export class UncertainSends {
  private readonly known = new Set<string>();

  record(name: string, hash: string): void {
    evictOldest(this.known);
    this.known.add(`${hash} ${name}`);
  }

  has(name: string, hash: string): boolean {
    return this.known.has(`${hash} ${name}`);
  }
}

function evictOldest(entries: Pick<Set<string>, 'size' | 'delete'> & { keys(): Iterable<string> }): void {
  if (entries.size < MAX_ENTRIES) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}

interface Dependencies {
  readonly network: Network;
  readonly grant: KeyGrant;
  readonly open: OpenWallet;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly uncertain: UncertainSends;
}

/** Default of `maxUnlockBlocks` for keys below admin: about one day. */
const MAX_UNLOCK_BLOCKS = 1_440;
const SECONDS_PER_BLOCK = 60n;
/** Tolerance for a default unlock time: the wallet may be behind the network when it is computed. */
const DEFAULT_LOCK_RESERVE_BLOCKS = 45;

/**
 * The limits of an API key for the sends of one request. Each transaction is checked and charged against `dailyLimit` before
 * it is submitted, and refunded if the node rejects it. Days are in UTC.
 */
export class KeyLimits {
  private readonly charged = new Map<string, { readonly day: number; readonly amount: bigint }>();
  private readonly accepted = new Set<string>();
  private hasRefused = false;

  constructor(private readonly dependencies: Dependencies) {}

  /** Checks and charges a transaction. @throws WalletError keyLimitExceeded */
  charge(send: SignedSend): void {
    try {
      this.check(send);
      this.reserve(send);
      this.accepted.add(send.hash);
    } catch (error) {
      this.hasRefused = true;
      throw error;
    }
  }

  /**
   * Fails the request if the limits rejected all its transactions, because a sweep only reports errors per entry.
   * @throws WalletError keyLimitExceeded
   */
  requireAccepted(): void {
    if (this.hasRefused && this.accepted.size === 0) throw walletError.keyLimitExceeded();
  }

  /** Records an unknown outcome: the charge remains, and a resubmission of the transaction is not charged again. */
  markUncertain({ hash }: SignedSend): void {
    const { grant, uncertain } = this.dependencies;
    if (this.charged.has(hash)) uncertain.record(grant.name, hash);
  }

  refund({ hash }: SignedSend): void {
    const { grant, open } = this.dependencies;
    const charged = this.charged.get(hash);
    this.accepted.delete(hash);
    this.charged.delete(hash);
    if (charged !== undefined) open.wallet.db.spending.refund(grant.name, charged.day, charged.amount, hash);
  }

  private check({ fee, bytes }: SignedSend): void {
    const {
      scope,
      maxFee,
      maxUnlockBlocks = scope === 'admin' ? undefined : MAX_UNLOCK_BLOCKS,
    } = this.dependencies.grant;
    if (maxFee !== undefined && fee > maxFee) {
      throw limitExceeded(`This key may not pay a fee of more than ${String(maxFee)} atomic units.`);
    }
    if (maxUnlockBlocks !== undefined && this.lockedBlocks(bytes) > maxUnlockBlocks) {
      throw limitExceeded(`This key may not lock outputs for more than ${String(maxUnlockBlocks)} blocks.`);
    }
  }

  private reserve(send: SignedSend): void {
    const { grant, open, now, uncertain } = this.dependencies;
    const { name, dailyLimit } = grant;
    if (dailyLimit === undefined || uncertain.has(name, send.hash)) return;
    const [day, amount] = [utcDayOf(now()), this.isFarLocked(send) ? inputAmount(send) : outgoingAmount(send)];
    const isReserved = open.wallet.db.spending.reserve(name, day, amount, dailyLimit, send.hash);
    if (!isReserved) throw walletError.keyLimitExceeded();
    this.charged.set(send.hash, { day, amount });
  }

  /** Whether the change is locked longer than by default. Such change counts as spent, because the owner cannot use it. */
  private isFarLocked({ bytes }: SignedSend): boolean {
    const { network, open } = this.dependencies;
    const { poolUnlockWindow } = network.rulesAt(open.wallet.syncStatus.walletHeight);
    return this.lockedBlocks(bytes) > poolUnlockWindow + DEFAULT_LOCK_RESERVE_BLOCKS;
  }

  /** Blocks from the wallet's own height, which a node cannot forge, to the unlock time of a transaction. */
  private lockedBlocks(bytes: Buffer): number {
    const { open, now } = this.dependencies;
    const { unlockTime } = parseTransaction(bytes).transaction;
    if (unlockTime < UNLOCK_TIME_BOUNDARY) return Number(unlockTime) - open.wallet.syncStatus.walletHeight;
    return Number((unlockTime - BigInt(Math.floor(now() / 1000))) / SECONDS_PER_BLOCK);
  }
}
