import {
  checkAddress,
  dayOf,
  type FinishedSend,
  walletError,
  walletErrorOfCode,
  walletErrorRows,
} from '@wrkz/wallet-core';
import type { KeyGrant } from './keys/service-keys';
import type { Open } from './open-wallet';

/** What leaves the wallet with a transaction, the fee with it. */
export function leavingAmount({ intent }: Pick<FinishedSend, 'intent'>): bigint {
  const taken = intent.inputs.reduce((sum, { output }) => sum + output.amount, 0n);
  return intent.ownOutputs.reduce((rest, { amount }) => rest - amount, taken);
}

/** @throws WalletError 1004 for an address that the key may not send to */
export function checkDestinations(
  { allowedAddresses }: KeyGrant,
  destinations: readonly { readonly address: string }[],
): void {
  if (allowedAddresses === undefined) return;
  for (const { address } of destinations) {
    const { plain } = checkAddress(address, { allowIntegrated: true });
    if (!allowedAddresses.includes(address) && !allowedAddresses.includes(plain)) throw notAllowed();
  }
}

export function notAllowed(): Error {
  return walletErrorOfCode(walletErrorRows.keyLimitExceeded.code, 'This key may not send to that address.');
}

/** Counts what a key sends in a day; what stayed here after all is given back. */
export class DailyLimit {
  readonly #reserved = new Map<string, { readonly day: number; readonly amount: bigint }>();
  #hasRefused = false;

  constructor(
    private readonly grant: KeyGrant,
    private readonly open: Open,
    private readonly now: () => number,
  ) {}

  /** @throws WalletError 1004 */
  take(send: FinishedSend): void {
    const { name, dailyLimit } = this.grant;
    if (dailyLimit === undefined) return;
    const [day, amount] = [dayOf(this.now()), leavingAmount(send)];
    this.#hasRefused = !this.open.sideFile.spending.reserve(name, day, amount, dailyLimit);
    if (this.#hasRefused) throw walletError.keyLimitExceeded();
    this.#reserved.set(send.hash, { day, amount });
  }

  /** A sweep makes entries of refusals: where the limit let nothing through, all of it is refused. @throws WalletError 1004 */
  requireSome(): void {
    if (this.#hasRefused && this.#reserved.size === 0) throw walletError.keyLimitExceeded();
  }

  giveBack({ hash }: FinishedSend): void {
    const reserved = this.#reserved.get(hash);
    this.#reserved.delete(hash);
    if (reserved !== undefined) this.open.sideFile.spending.giveBack(this.grant.name, reserved.day, reserved.amount);
  }
}
