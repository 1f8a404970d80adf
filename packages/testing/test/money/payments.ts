import type { TestWallet, SeenTransaction } from '../../src';
import type { Outcome, PaymentKind, ServiceRequest, WalletServiceProcess } from './services';

/**
 * `open`: the client repeats the request. `waiting`: prepared or delayed, to be sent or deleted. `closed`: the client stopped
 * with an unknown outcome, or after a refusal. `deleted`: never sent.
 */
export type PaymentState = 'open' | 'waiting' | 'accepted' | 'givenUp' | 'closed' | 'deleted';

/** A payment that must be made once. Its payment id identifies it in blocks. */
export interface Payment {
  /** 64 hex digits. */
  readonly id: string;
  readonly service: WalletServiceProcess;
  readonly payee: TestWallet;
  readonly amount: number;
  readonly kind: PaymentKind;
  request: ServiceRequest;
  /** Idempotency key. */
  key: string | undefined;
  state: PaymentState;
  readonly hashes: Set<string>;
}

/** All payments of a campaign: compares the responses to clients with the blocks. */
export class Payments {
  readonly all: Payment[] = [];

  inState(state: PaymentState): Payment[] {
    return this.all.filter((payment) => payment.state === state);
  }

  /** @throws Error when the outcome contradicts an earlier one */
  record(payment: Payment, outcome: Outcome): void {
    if (outcome.kind === 'accepted') this.accept(payment, outcome.hashes);
    if (outcome.kind === 'givenUp') payment.state = 'givenUp';
  }

  /** @returns complaints about payments that blocks contain more than once, or in part */
  check(mined: readonly SeenTransaction[]): string[] {
    const byId = new Map(this.all.map((payment) => [payment.id, { payment, hashes: new Set<string>(), paid: 0n }]));
    for (const { paymentId, hash, found } of mined) {
      const entry = byId.get(paymentId);
      if (entry === undefined) continue;
      entry.hashes.add(hash);
      for (const { wallet, amount } of found) if (wallet === entry.payment.payee) entry.paid += amount;
    }
    return [...byId.values()].flatMap(({ payment, hashes, paid }) => {
      const { kind, amount, state } = payment;
      const isPart = kind === 'sweep' && paid < BigInt(amount);
      const isOnce =
        hashes.size === 0 || ((kind === 'sweep' || hashes.size === 1) && paid === BigInt(amount)) || isPart;
      if (isOnce && !(state === 'deleted' && hashes.size > 0)) return [];
      return [`${describe(payment)}: blocks pay ${String(paid)} in ${[...hashes].join(', ')}`];
    });
  }

  /**
   * @param mined hashes
   * @returns complaints about accepted payments that are neither in a block nor reported as given up
   */
  checkAnswered(mined: ReadonlySet<string>): string[] {
    return this.inState('accepted').flatMap((payment) => {
      const givenUp = payment.service.givenUp();
      const missing = [...payment.hashes].filter((hash) => !mined.has(hash) && !givenUp.has(hash));
      return missing.map((hash) => `${describe(payment)}: ${hash} is in no block`);
    });
  }

  private accept(payment: Payment, hashes: readonly string[]): void {
    const { state, kind, hashes: known } = payment;
    if (kind !== 'sweep' && state === 'accepted' && hashes.some((hash) => !known.has(hash))) {
      throw new Error(`${describe(payment)}: a repetition returned ${hashes.join(', ')}`);
    }
    const other = this.all.find((one) => one !== payment && hashes.some((hash) => one.hashes.has(hash)));
    if (other !== undefined) throw new Error(`${describe(payment)} has the transaction of ${describe(other)}`);
    for (const hash of hashes) known.add(hash);
    payment.state = 'accepted';
  }
}

export const describe = ({ id, service, kind, key, state, hashes }: Payment): string =>
  `${service.name} ${kind} ${id.slice(0, 8)} ${key === undefined ? 'without' : 'with'} key, ${state} (${[...hashes].join(', ')})`;
