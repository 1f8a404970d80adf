import { AsyncLocalStorage } from 'node:async_hooks';
import type { FinishedSend } from '../wallet/ports';

/**
 * Hears of the transactions that one request sends. Requests pass through the wallet's queue before they send, hence by the
 * asynchronous context of the caller and not by an argument of every call on the way.
 */
export interface LeavingListener {
  /** Before it is written down; what it throws keeps the transaction here. */
  leaving(send: FinishedSend): void;
  /** It did not leave after all. */
  stayed(send: FinishedSend): void;
  /** It left, and nobody knows whether it arrived. */
  doubted(send: FinishedSend): void;
}

const listeners = new AsyncLocalStorage<LeavingListener>();

/** Runs a request; whatever it sends is told to the listener. */
export function listeningToSends<T>(listener: LeavingListener, request: () => Promise<T>): Promise<T> {
  return listeners.run(listener, request);
}

/** The listener of the request that is being served, if it has one. */
export const leavingListener = (): LeavingListener | undefined => listeners.getStore();
