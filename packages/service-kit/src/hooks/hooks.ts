import { join } from 'node:path';
import { ensureDirectory } from '../files';
import { stringifyJson } from '../http/json';
import type { Logger } from '../logging/logger';
import type { CountedSeries, MetricFactory } from '../metrics/metrics';
import { type BackOff, DurableReceiver } from './durable-receiver';
import type { HookEvent } from './event';
import type { EventFeed } from './feed';
import { DeliveryProcess } from './launcher';
import { LiveReceiver } from './live-receiver';
import { type DeliverEvent, type HookCounts, Tally } from './receiver';
import { ReceiverFiles } from './receiver-files';
import { readHookSecret } from './signature';
import { describeTarget, type HookTarget, parseTarget } from './target';

/** What one delivery may take, milliseconds. */
const DELIVERY_MS = 10_000;

/** One hook: an option, and the receivers that were named by it. */
export interface HookSpec {
  /** The option without its dashes. */
  readonly name: string;
  readonly values: readonly string[];
  /** Where its events are read from; without one receivers are told as it comes, and drop. */
  readonly feed?: EventFeed | undefined;
}

export interface NotificationHooksOptions {
  readonly hooks: readonly HookSpec[];
  readonly logger: Logger;
  /** Where durable receivers keep how far they have come. */
  readonly directory: string;
  readonly secretFile?: string | undefined;
  readonly deliveryMs?: number;
  readonly queue?: number;
  readonly backOff?: BackOff;
}

/** What is counted for each receiver. */
const FIGURES = [
  ['hook_delivered_total', 'Notifications that were taken', 'delivered'],
  ['hook_failed_total', 'Deliveries that failed', 'failed'],
  ['hook_dropped_total', 'Notifications that found the queue full', 'dropped'],
  ['hook_dead_letters_total', 'Notifications given up on and noted in the dead-letter list', 'dead'],
] as const satisfies readonly (readonly [name: string, help: string, of: keyof HookCounts])[];

/** How a receiver stands. */
export interface HookState extends HookCounts {
  readonly hook: string;
  readonly receiver: string;
  /** Events that wait to be delivered; of a durable receiver, entries of the feed that it has not looked at yet. */
  readonly waiting: number;
}

interface Receiver {
  readonly label: string;
  readonly hook: string;
  readonly description: string;
  readonly tally: Tally;
  readonly waiting: () => number;
  readonly notify: ((event: HookEvent) => void) | undefined;
  readonly close: () => Promise<void>;
}

/**
 * The notification hooks of a program (docs/operations/notifications.md): each value of each hook is a receiver, which gets its
 * events in order, one at a time, whatever the others do. `notify` only queues.
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

  /** Understands the values; one that cannot be used is a warning. @throws Error for an unusable secret or folder */
  static async start(options: NotificationHooksOptions): Promise<NotificationHooks> {
    const hooks = new NotificationHooks(options);
    let asked = 0;
    try {
      for (const spec of options.hooks) {
        const values = new Set(spec.values.map((value) => value.trim()).filter((value) => value !== ''));
        asked += values.size;
        let index = 0;
        for (const value of values) await hooks.add(spec, value, values.size > 1 ? ` ${String((index += 1))}` : '');
      }
    } catch (error) {
      await hooks.close();
      throw error;
    }
    if (asked > 0 && hooks.receivers.length === 0)
      options.logger.warning('No usable notification hook configured. Continuing without notifications.');
    return hooks;
  }

  /** Whether anybody is told of a hook by `notify`; if not, nothing needs to be made for it. */
  has(hook: string): boolean {
    return this.receivers.some((receiver) => receiver.hook === hook && receiver.notify !== undefined);
  }

  /** Queues an event for the receivers of a hook. Durable ones are not told here: they read their feed. */
  notify(hook: string, event: HookEvent): void {
    for (const receiver of this.receivers) if (receiver.hook === hook) receiver.notify?.(event);
  }

  get states(): HookState[] {
    return this.receivers.map(({ hook, description, tally, waiting }) => {
      return { hook, receiver: description, waiting: waiting(), ...tally.counts };
    });
  }

  /** Publishes how the receivers stand (docs/operations/notifications.md#figures), named as logs name them. */
  publish(metrics: MetricFactory): void {
    for (const [name, help, of] of FIGURES) {
      const series = this.receivers.map(({ label, tally }): CountedSeries => {
        return [{ hook: label }, () => tally.counts[of]];
      });
      if (series.length > 0) metrics.counted(name, help, series);
    }
    if (this.receivers.length === 0) return;
    metrics.gauge('hook_waiting_events', 'Events that wait for a receiver', ['hook'], (gauge) => {
      for (const { label, waiting } of this.receivers) gauge.set({ hook: label }, waiting());
    });
  }

  /** Discards what waits, breaks off what runs, and leaves no process behind. */
  async close(): Promise<void> {
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    await this.launcher.close();
    for (const { label, tally } of this.receivers) {
      const { delivered, failed, dropped } = tally;
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
    const tally = new Tally(log);
    const parts = { deliver: this.deliverTo(target), tally, log };
    const receiver = { label, hook: spec.name, description, tally };
    if (spec.feed === undefined) {
      const live = new LiveReceiver({ ...parts, ...(queue === undefined ? {} : { queue }) });
      this.receivers.push({
        ...receiver,
        waiting: () => live.behind,
        notify: (event) => live.notify(event),
        close: () => live.close(),
      });
    } else {
      const directory = ensureDirectory(join(this.options.directory, 'notify'));
      const files = new ReceiverFiles({ directory, hook: spec.name, value, description });
      const more = { feed: spec.feed, files, ...(backOff === undefined ? {} : { backOff }) };
      const durable = await DurableReceiver.start({ ...parts, ...more });
      this.receivers.push({
        ...receiver,
        waiting: () => durable.behind,
        notify: undefined,
        close: () => durable.close(),
      });
    }
    log('info', `${target.kind} notifier enabled: ${description}`);
  }

  private deliverTo(target: HookTarget): DeliverEvent {
    const key = this.secret?.key;
    const budgetMs = this.options.deliveryMs ?? DELIVERY_MS;
    return ({ event, placeholders, fields }, id, signal) => {
      const body = target.kind === 'webhook' ? stringifyJson({ event, ...fields }) : '';
      return this.launcher.deliver({ target, id, placeholders, body, key, budgetMs }, signal);
    };
  }
}
