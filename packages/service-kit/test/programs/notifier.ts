import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryLogger, NotificationHooks } from '../../src';
import { FakeFeed } from '../hooks/fake-feed';

/** A program with a durable hook over so many events, for the tests that kill it: folder, receiver, events. */
const [directory = '', receiver = '', count = '0'] = process.argv.slice(2);

// the first start begins with an empty feed, as a new receiver begins with what comes next
const isNew = !existsSync(join(directory, 'notify'));
const feed = new FakeFeed(isNew ? 0 : Number(count));
const backOff = { firstMs: 5, maxMs: 20, refusals: 3 };
const hooks = [{ name: 'block-notify', values: [receiver], feed }];
void NotificationHooks.start({ hooks, logger: createMemoryLogger(), directory, backOff }).then(() => {
  if (isNew) feed.add(Number(count));
  process.stdout.write('started\n');
});
setInterval(() => undefined, 1_000);
