import { type NodeCalls, NodeClient } from '@wrkz/client';
import type { WaitClock } from '@wrkz/service-kit/base';

interface Waiter {
  readonly due: number;
  readonly resolve: () => void;
}

/** Real milliseconds between two attempts to advance the clock. */
const PACE_MS = 5;

/**
 * A clock that advances from the end of one wait to the end of the next while no request is pending. It is stopped until a test
 * waits for a condition.
 */
export class TestClock implements WaitClock {
  /** The lengths of all waits in milliseconds, in the order of their starts. */
  readonly waits: number[] = [];
  private waiters: Waiter[] = [];
  private time = 0;
  private timer: NodeJS.Timeout | undefined;
  private requests = 0;
  private readonly watched = new WeakMap<NodeClient, NodeClient>();

  now(): number {
    return this.time;
  }

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.waits.push(milliseconds);
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = { due: this.time + milliseconds, resolve: () => end() };
      const end = (): void => {
        this.waiters = this.waiters.filter((other) => other !== waiter);
        signal.removeEventListener('abort', end);
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
      this.waiters.push(waiter);
    });
  }

  /** Wraps a node, or a list and its nodes: pending requests stop the clock. */
  watching<T extends NodeCalls>(node: T): T {
    return new Proxy(node, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (member instanceof NodeClient) return this.watchedOnce(member);
        if (name === 'others') return (member as readonly NodeClient[]).map((one) => this.watchedOnce(one));
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => {
          const result: unknown = member.apply(target, given);
          if (result instanceof Promise && name !== 'tipStream') {
            this.requests++;
            const end = (): number => this.requests--;
            result.then(end, end);
          }
          return result;
        };
      },
    });
  }

  private watchedOnce(node: NodeClient): NodeClient {
    const watched = this.watched.get(node) ?? this.watching(node);
    this.watched.set(node, watched);
    return watched;
  }

  go(): void {
    this.timer ??= setInterval(() => this.jump(), PACE_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private jump(): void {
    if (this.requests > 0) return;
    const next = this.waiters.reduce<Waiter | undefined>(
      (first, waiter) => (first === undefined || waiter.due < first.due ? waiter : first),
      undefined,
    );
    if (next === undefined) return;
    this.time = Math.max(this.time, next.due);
    next.resolve();
  }
}
