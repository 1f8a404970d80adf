/**
 * The main file of the delivery process, which starts commands and sends webhooks for the program that forked it. It is a
 * process of its own because starting a program copies the page tables of whoever starts it: a tenth of a second for a
 * node with a gigabyte in use, during which even its other threads stand still.
 */
import { deliver } from './deliver';
import type { FromDeliveryProcess, ToDeliveryProcess } from './protocol';

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
      // whoever is to hear it may go away at this moment
      if (process.connected) process.send?.({ call, outcome } satisfies FromDeliveryProcess, ignore);
      else if (running.size === 0) process.exit(0);
    });
});

// Whoever forked it is gone, in order or not: nothing that it started may stay behind.
process.on('disconnect', () => {
  if (running.size === 0) process.exit(0);
  for (const cancel of running.values()) cancel.abort();
});

// A terminal and a service manager signal the whole group; the end comes from the program that forked this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ignore);
