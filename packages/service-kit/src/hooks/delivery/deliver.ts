import { postWebhook } from './post-webhook';
import type { Delivery, DeliveryOutcome } from './protocol';
import { runCommand } from './run-command';

/** Makes one delivery within its time. A command that hangs is killed, a POST that hangs is cut off. */
export async function deliver(delivery: Delivery, cancel: AbortSignal): Promise<DeliveryOutcome> {
  const { target, id, placeholders, body, key, budgetMs } = delivery;
  const over = AbortSignal.timeout(budgetMs);
  const signal = AbortSignal.any([cancel, over]);
  const outcome =
    target.kind === 'command'
      ? await runCommand({ words: target.words, placeholders, id }, signal)
      : await postWebhook({ url: target.url, id, body, key }, signal);
  if (outcome.kind !== 'cancelled' || cancel.aborted) return outcome;
  const what = target.kind === 'command' ? `'${target.words[0] ?? ''}'` : `webhook ${new URL(target.url).origin}`;
  return { kind: 'unreachable', why: `${what} did not finish within ${String(budgetMs / 1000)} s` };
}
