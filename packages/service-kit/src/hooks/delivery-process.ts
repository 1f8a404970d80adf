/**
 * Main file of the delivery process, which runs commands and sends webhooks for its parent. It is a separate process because
 * `fork` copies the page tables of the caller: 0.1 s for a node with a gigabyte in use, during which all its threads stop.
 */
import { deliver } from './delivery';
import type { FromDeliveryProcess, ToDeliveryProcess } from './launcher';

const ignore = (): void => undefined;
const running = new Map<number, AbortController>();

process.on('message', (message: ToDeliveryProcess) => {
  if (message.kind === 'cancel') return void running.get(message.call)?.abort();
  const { call, delivery } = message;
  const cancel = new AbortController();
  running.set(call, cancel);
  void deliver(delivery, cancel.signal)
    .catch((error: unknown) => ({ kind: 'unreachable' as const, why: String(error) }))
    .then((outcome) => {
      running.delete(call);
      // The parent may exit at this moment.
      if (process.connected) process.send?.({ call, outcome } satisfies FromDeliveryProcess, ignore);
      else if (running.size === 0) process.exit(0);
    });
});

// The parent has exited: no child process may remain.
process.on('disconnect', () => {
  if (running.size === 0) process.exit(0);
  for (const cancel of running.values()) cancel.abort();
});

// Terminals and service managers signal the whole group; the parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ignore);
