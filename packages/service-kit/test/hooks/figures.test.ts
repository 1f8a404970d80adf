import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, NotificationHooks, silentLogger } from '../../src';
import { WebhookReceiver } from '../support/receiver';
import { FakeFeed } from './fake-feed';

test('metrics have the outcomes of each receiver', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-hooks-'));
  const receiver = await new WebhookReceiver().open();
  let letThrough = (): void => undefined;
  const held = new Promise<void>((resolve) => (letThrough = resolve));
  // The live receiver gets no response to its first event; the durable one always refuses its second.
  receiver.respond = ({ body }, response) => {
    if (body.includes('"live"')) void held.then(() => response.writeHead(200).end());
    else response.writeHead(body.includes('"height":2,') ? 422 : 200).end();
  };
  const feed = new FakeFeed();
  const hooks = await NotificationHooks.start({
    hooks: [
      { name: 'tx-notify', values: [receiver.url] },
      { name: 'block-notify', values: [receiver.url], feed },
    ],
    logger: silentLogger(),
    directory: folder,
    queue: 2,
    backOff: { firstMs: 1, maxMs: 1, refusals: 3 },
  });
  const metrics = createMetrics('wrkz_');
  hooks.publish(metrics);
  const figures = async (): Promise<Record<string, number>> => {
    const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('wrkz_hook_'));
    return Object.fromEntries(
      lines.map((line) => line.split(/ (?=[^ ]+$)/)).map(([name, value]) => [name, Number(value)]),
    );
  };
  const until = async (name: string, value: number): Promise<void> => {
    while ((await figures())[name] !== value) await new Promise(setImmediate);
  };
  try {
    for (let i = 0; i < 5; i++) hooks.notify('tx-notify', { event: 'tx', placeholders: {}, fields: { hash: 'live' } });
    await receiver.until(({ length }) => length === 1);
    expect(await figures()).toMatchObject({
      'wrkz_hook_waiting_events{hook="tx-notify"}': 2,
      'wrkz_hook_dropped_total{hook="tx-notify"}': 2,
      'wrkz_hook_delivered_total{hook="tx-notify"}': 0,
    });
    letThrough();
    feed.add(3);
    await until('wrkz_hook_delivered_total{hook="block-notify"}', 2);
    await until('wrkz_hook_waiting_events{hook="block-notify"}', 0);
    await until('wrkz_hook_delivered_total{hook="tx-notify"}', 3);
    expect(await figures()).toEqual({
      'wrkz_hook_delivered_total{hook="tx-notify"}': 3,
      'wrkz_hook_delivered_total{hook="block-notify"}': 2,
      'wrkz_hook_failed_total{hook="tx-notify"}': 0,
      'wrkz_hook_failed_total{hook="block-notify"}': 3,
      'wrkz_hook_dropped_total{hook="tx-notify"}': 2,
      'wrkz_hook_dropped_total{hook="block-notify"}': 0,
      'wrkz_hook_dead_letters_total{hook="tx-notify"}': 0,
      'wrkz_hook_dead_letters_total{hook="block-notify"}': 1,
      'wrkz_hook_waiting_events{hook="tx-notify"}': 0,
      'wrkz_hook_waiting_events{hook="block-notify"}': 0,
    });
  } finally {
    letThrough();
    await hooks.close();
    await receiver.close();
    rmSync(folder, { recursive: true });
  }
});
