/** Requests and responses of one payment, which its amount identifies. */
export interface Payment {
  readonly amount: bigint;
  readonly kind: 'sent' | 'delayed';
  /** Its idempotency key. */
  readonly key: string;
  /** Set by the response. */
  hash: string | undefined;
  /** The last request about a delayed transaction, with or without a response. */
  then: 'send' | 'delete' | undefined;
  /** Whether that request had a response. */
  isDone: boolean;
}

/** The payments of a client that outlives the service: its responses determine the expected state. */
export class PaymentBook {
  readonly payments: Payment[] = [];
  private readonly busy = new Set<Payment>();
  private last = 1_000n;

  /** Takes a payment that no request is using, or a new one; return it with `release`. */
  take(kind: Payment['kind'], fits: (payment: Payment) => boolean): Payment {
    const found = this.payments.find((payment) => payment.kind === kind && fits(payment) && !this.busy.has(payment));
    const payment = found ?? this.made(kind);
    this.busy.add(payment);
    return payment;
  }

  release(payment: Payment): void {
    this.busy.delete(payment);
  }

  /** Delayed transactions with a response and without a request to send or delete them. */
  get waiting(): Payment[] {
    return this.payments.filter(
      ({ kind, hash, then }) => kind === 'delayed' && hash !== undefined && then === undefined,
    );
  }

  /** How often each payment may have arrived: min and max. */
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
