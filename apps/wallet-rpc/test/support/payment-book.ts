/** What a client has asked for, and what it was told, of one payment; its amount names it. */
export interface Payment {
  readonly amount: bigint;
  readonly kind: 'sent' | 'delayed';
  /** The key that it is asked for with. */
  readonly key: string;
  /** Once it was answered. */
  hash: string | undefined;
  /** What was asked for of a delayed one, answered or not. */
  then: 'send' | 'delete' | undefined;
  /** Whether that was answered. */
  isDone: boolean;
}

/** The payments of a client that outlives the service; what it must find afterwards follows from what it was answered. */
export class PaymentBook {
  readonly payments: Payment[] = [];
  private readonly busy = new Set<Payment>();
  private last = 1_000n;

  /** One of those that nobody is at, or a new one of this kind; to be given back. */
  take(kind: Payment['kind'], fits: (payment: Payment) => boolean): Payment {
    const found = this.payments.find((payment) => payment.kind === kind && fits(payment) && !this.busy.has(payment));
    const payment = found ?? this.made(kind);
    this.busy.add(payment);
    return payment;
  }

  giveBack(payment: Payment): void {
    this.busy.delete(payment);
  }

  /** Delayed ones that were answered, and that nobody has asked to be sent or deleted. */
  get waiting(): Payment[] {
    return this.payments.filter(
      ({ kind, hash, then }) => kind === 'delayed' && hash !== undefined && then === undefined,
    );
  }

  /** How often each payment may have arrived: the least, the most. */
  expected(payment: Payment): readonly [least: number, most: number] {
    const { kind, hash, then, isDone } = payment;
    if (kind === 'sent') return hash === undefined ? [0, 1] : [1, 1];
    if (then === 'send') return isDone ? [1, 1] : [0, 1];
    return [0, 0];
  }

  private made(kind: Payment['kind']): Payment {
    this.last += 1n;
    const amount = this.last;
    const payment: Payment = {
      amount,
      kind,
      key: `order-${String(amount)}`,
      hash: undefined,
      then: undefined,
      isDone: false,
    };
    this.payments.push(payment);
    return payment;
  }
}
