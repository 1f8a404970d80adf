import { type ChildProcess, fork } from 'node:child_process';
import { workerEntry } from '../assets';
import { errorText } from '../error-text';
import type { Delivery, DeliveryOutcome } from './delivery';

/** Messages to the delivery process. `call` numbers the deliveries. */
export type ToDeliveryProcess =
  | { readonly kind: 'deliver'; readonly call: number; readonly delivery: Delivery }
  | { readonly kind: 'cancel'; readonly call: number };

export interface FromDeliveryProcess {
  readonly call: number;
  readonly outcome: DeliveryOutcome;
}

/** The delivery process enforces the timeout; without an outcome after this time it hangs, and is killed. */
const GRACE_MS = 5_000;
const STOP_MS = 2_000;
/** Min time between two starts: a process that crashes at once is not forked for each event. */
const RESTART_MS = 1_000;

/** Starts the delivery process and sends it deliveries. */
export class DeliveryProcess {
  private child: ChildProcess | undefined;
  private readonly open = new Map<number, (outcome: DeliveryOutcome) => void>();
  private lastCall = 0;
  private closed = false;
  private startedAt = -Infinity;

  /** Forks the process, if possible while this one is small. A crashed process is forked again by the next delivery. */
  start(): void {
    if (this.closed || this.child !== undefined) return;
    if (performance.now() - this.startedAt < RESTART_MS) throw new Error('it has just ended');
    this.startedAt = performance.now();
    const { path, execArgv } = workerEntry(__dirname, 'delivery-process');
    const child = fork(path, [], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.child = child;
    const lost = (why: string): void => {
      if (this.child !== child) return;
      this.child = undefined;
      for (const end of [...this.open.values()]) end({ kind: 'unreachable', why });
    };
    child.on('message', ({ call, outcome }: FromDeliveryProcess) => this.open.get(call)?.(outcome));
    child.on('error', (error) => lost(`the delivery process failed: ${errorText(error)}`));
    child.on('exit', () => lost('the delivery process has ended'));
  }

  /** Makes one delivery; never rejects. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryOutcome> {
    if (this.closed || signal.aborted) return Promise.resolve({ kind: 'cancelled' });
    const call = (this.lastCall += 1);
    return new Promise((resolve) => {
      const hangs = setTimeout(() => {
        this.child?.kill('SIGKILL');
        end({ kind: 'unreachable', why: 'the delivery process did not answer' });
      }, delivery.timeoutMs + GRACE_MS);
      const cancel = (): void => {
        this.send({ kind: 'cancel', call });
        end({ kind: 'cancelled' });
      };
      const end = (outcome: DeliveryOutcome): void => {
        clearTimeout(hangs);
        signal.removeEventListener('abort', cancel);
        if (this.open.delete(call)) resolve(outcome);
      };
      this.open.set(call, end);
      signal.addEventListener('abort', cancel, { once: true });
      try {
        this.start();
        this.send({ kind: 'deliver', call, delivery });
      } catch (error) {
        end({ kind: 'unreachable', why: `the delivery process cannot be started: ${errorText(error)}` });
      }
    });
  }

  /** Ends the process and its children. */
  async close(): Promise<void> {
    this.closed = true;
    const { child } = this;
    for (const end of [...this.open.values()]) end({ kind: 'cancelled' });
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.connected) child.disconnect();
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await gone;
    clearTimeout(kill);
  }

  /** Errors are ignored: they mean that the process has ended, and its `exit` event ends the open deliveries. */
  private send(message: ToDeliveryProcess): void {
    this.child?.send(message, () => undefined);
  }
}
