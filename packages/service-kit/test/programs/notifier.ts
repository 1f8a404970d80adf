import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryLogger, NotificationHooks } from '../../src';
import { FakeFeed } from '../hooks/fake-feed';

/** `notifier.ts <folder> <receiver> <events>`: delivers this many events through a durable hook until it is killed. */
const [directory = '', receiver = '', count = '0'] = process.argv.slice(2);

// The first start has an empty feed, because a new receiver gets later events only.
const isNew = !existsSync(join(directory, 'notify'));
const feed = new FakeFeed(isNew ? 0 : Number(count));
const backOff = { firstMs: 5, maxMs: 20, refusals: 3 };
const hooks = [{ name: 'block-notify', values: [receiver], feed }];
void NotificationHooks.start({ hooks, logger: createMemoryLogger(), directory, backOff }).then(() => {
  if (isNew) feed.add(Number(count));
  process.stdout.write('started\n');
});
setInterval(() => undefined, 1_000);
