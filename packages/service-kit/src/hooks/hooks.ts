import { join } from 'node:path';
import { ensureDirectory } from '../files';
import { stringifyJson } from '../http/json';
import type { Logger } from '../log/logger';
import type { CountedSeries, MetricFactory } from '../metrics';
import { type BackOff, DurableReceiver, ReceiverFiles } from './durable-receiver';
import { DeliveryProcess } from './launcher';
import {
  type DeliverEvent,
  type EventFeed,
  type HookCounts,
  type HookEvent,
  LiveReceiver,
  OutcomeCounter,
} from './receiver';
import { readHookSecret } from './delivery';
import { describeTarget, type HookTarget, parseTarget } from './target';

const DELIVERY_TIMEOUT_MS = 10_000;

export interface HookSpec {
  /** Name of the option, without dashes. */
  readonly name: string;
  readonly values: readonly string[];
  /** The feed of durable receivers. Without a feed `notify` delivers events, and a full queue drops them. */
  readonly feed?: EventFeed | undefined;
}

export interface NotificationHooksOptions {
  readonly hooks: readonly HookSpec[];
  readonly logger: Logger;
  /** Directory for the positions of durable receivers. */
  readonly directory: string;
  readonly secretFile?: string | undefined;
  readonly deliveryMs?: number;
  readonly queue?: number;
  readonly backOff?: BackOff;
}

const METRICS = [
  ['hook_delivered_total', 'Delivered notifications', 'delivered'],
  ['hook_failed_total', 'Failed deliveries', 'failed'],
  ['hook_dropped_total', 'Notifications dropped by a full queue', 'dropped'],
  ['hook_dead_letters_total', 'Notifications in the dead-letter file', 'dead'],
] as const satisfies readonly (readonly [name: string, help: string, of: keyof HookCounts])[];

export interface HookState extends Readonly<HookCounts> {
  readonly hook: string;
  readonly receiver: string;
  /** Queued events; for a durable receiver, entries of the feed that it has not read. */
  readonly waiting: number;
}

interface Receiver {
  readonly label: string;
  readonly hook: string;
  readonly description: string;
  readonly counter: OutcomeCounter;
  readonly queue: LiveReceiver | DurableReceiver;
}

/**
 * The notification hooks of a program (docs/operations/notifications.md). Each value of a hook is a receiver, which gets its
 * events in order, one at a time, independently of others.
 */
export class NotificationHooks {
  private readonly launcher = new DeliveryProcess();
  private readonly receivers: Receiver[] = [];
  private readonly secret: { readonly key: string } | undefined;

  private constructor(private readonly options: NotificationHooksOptions) {
    const { secretFile, logger } = options;
    if (secretFile === undefined || secretFile === '') return;
    const secret = readHookSecret(secretFile);
    logger.hide(secret.text);
    if (secret.shared) logger.warning(`the notification secret ${secretFile} can be read by others; chmod 600 it`);
    this.secret = secret;
  }

  /** Logs a warning for an invalid value. @throws Error for an unusable secret or directory */
  static async start(options: NotificationHooksOptions): Promise<NotificationHooks> {
    const hooks = new NotificationHooks(options);
    let count = 0;
    try {
      for (const spec of options.hooks) {
        const values = new Set(spec.values.map((value) => value.trim()).filter((value) => value !== ''));
        count += values.size;
        let index = 0;
        for (const value of values) await hooks.add(spec, value, values.size > 1 ? ` ${String((index += 1))}` : '');
      }
    } catch (error) {
      await hooks.close();
      throw error;
    }
    if (count > 0 && hooks.receivers.length === 0)
      options.logger.warning('No usable notification hook configured. Continuing without notifications.');
    return hooks;
  }

  /** Whether `notify` has a receiver for this hook. */
  has(hook: string): boolean {
    return this.receivers.some((receiver) => receiver.hook === hook && receiver.queue instanceof LiveReceiver);
  }

  /** Queues an event for the receivers of a hook. Durable receivers read their feed instead. */
  notify(hook: string, event: HookEvent): void {
    for (const { hook: name, queue } of this.receivers) {
      if (name === hook && queue instanceof LiveReceiver) queue.notify(event);
    }
  }

  get states(): HookState[] {
    return this.receivers.map(({ hook, description, counter, queue }) => {
      return { hook, receiver: description, waiting: queue.behind, ...counter.counts };
    });
  }

  /** Publishes the metrics of the receivers (docs/operations/notifications.md#metrics). */
  publish(metrics: MetricFactory): void {
    for (const [name, help, of] of METRICS) {
      const series = this.receivers.map(({ label, counter }): CountedSeries => {
        return [{ hook: label }, () => counter.counts[of]];
      });
      if (series.length > 0) metrics.counted(name, help, series);
    }
    if (this.receivers.length === 0) return;
    metrics.gauge('hook_waiting_events', 'Events that wait for a receiver', ['hook'], (gauge) => {
      for (const { label, queue } of this.receivers) gauge.set({ hook: label }, queue.behind);
    });
  }

  /** Discards queued events, aborts running deliveries, and ends the delivery process. */
  async close(): Promise<void> {
    await Promise.all(this.receivers.map((receiver) => receiver.queue.close()));
    await this.launcher.close();
    for (const { label, counter } of this.receivers) {
      const { delivered, failed, dropped } = counter.counts;
      this.options.logger.info(
        `[${label}] stopped. Sent=${String(delivered)}, failed=${String(failed)}, dropped=${String(dropped)}`,
      );
    }
  }

  private async add(spec: HookSpec, value: string, suffix: string): Promise<void> {
    const { logger, queue, backOff } = this.options;
    const label = spec.name + suffix;
    const log = (level: 'warning' | 'info', text: string): void => logger[level](`[${label}] ${text}`);
    const target = parseTarget(value);
    if (target.kind === 'unusable') return log('warning', target.why);
    const description = describeTarget(target);
    this.launcher.start();
    const counter = new OutcomeCounter(log);
    const dependencies = { deliver: this.deliverTo(target), counter, log };
    const receiver = { label, hook: spec.name, description, counter };
    if (spec.feed === undefined) {
      this.receivers.push({ ...receiver, queue: new LiveReceiver({ ...dependencies, queue }) });
    } else {
      const directory = ensureDirectory(join(this.options.directory, 'notify'));
      const files = new ReceiverFiles({ directory, hook: spec.name, value, description });
      const durable = await DurableReceiver.start({ ...dependencies, feed: spec.feed, files, backOff });
      this.receivers.push({ ...receiver, queue: durable });
    }
    log('info', `${target.kind} notifier enabled: ${description}`);
  }

  private deliverTo(target: HookTarget): DeliverEvent {
    const key = this.secret?.key;
    const timeoutMs = this.options.deliveryMs ?? DELIVERY_TIMEOUT_MS;
    return ({ event, placeholders, fields }, id, signal) => {
      const body = target.kind === 'webhook' ? stringifyJson({ event, ...fields }) : '';
      return this.launcher.deliver({ target, id, placeholders, body, key, timeoutMs }, signal);
    };
  }
}
