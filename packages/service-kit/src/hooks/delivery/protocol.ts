import type { HookTarget } from '../target';

/** What came of one delivery. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  /** The receiver answered, and not well: a status other than 2xx, an exit code other than 0. */
  | { readonly kind: 'refused'; readonly why: string }
  /** No answer: nothing listens, the program cannot be started, the time was over. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** It was given up on before there was an outcome. */
  | { readonly kind: 'cancelled' };

/** One event for one receiver. */
export interface Delivery {
  readonly target: HookTarget;
  /** The same for every attempt at this event. */
  readonly id: string;
  readonly placeholders: Readonly<Record<string, string>>;
  /** A webhook's body. */
  readonly body: string;
  /** What signs it, in base64. */
  readonly key?: string | undefined;
  readonly budgetMs: number;
}

export type ToDeliveryProcess =
  | { readonly kind: 'deliver'; readonly call: number; readonly delivery: Delivery }
  | { readonly kind: 'cancel'; readonly call: number };

export interface FromDeliveryProcess {
  readonly call: number;
  readonly outcome: DeliveryOutcome;
}
