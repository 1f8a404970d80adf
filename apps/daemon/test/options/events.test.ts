import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkOf } from '@wrkz/core-types';
import { silentLogger } from '@wrkz/service-kit';
import { Forge } from '@wrkz/testing';
import { readConfig } from '../../src';
import { startNodeHooks } from '../../src/events/hooks';
import { JOURNAL_TOPICS } from '../../src/events/journal/entry';
import { startJournal } from '../../src/events/journal/event-journal';
import { NodeEvents } from '../../src/events/node-events';
import { freshHash, openStore } from '../events/support/model';
import { engineBench, NOW } from '../support/engine';
import { exercises } from '../support/exercises';

/* Effects of the options for events; other tests cover their parsing. */

exercises('events-keep', 'events-during-sync', 'notify-during-sync');

/** A chain that synchronizes three blocks, and gets a fourth one afterwards. */
async function catchingUp() {
  const bench = engineBench('simnet');
  const peers = { synchronized: false, isSynchronized: () => peers.synchronized, observedHeight: () => 1_000 };
  const events = new NodeEvents((error) => {
    throw error;
  });
  events.followChain(bench.engine);
  const forge = new Forge(bench.reader.viewAt(0), { network: networkOf('simnet'), timestamp: NOW - 1_000_000 });
  const blocks = await forge.many(4);
  return {
    parts: (...args: string[]) => ({
      config: readConfig(['--network', 'simnet', ...args]),
      directory: bench.directory,
      events,
      chain: bench.engine,
      pool: { hashes: () => [] },
      peers,
      logger: silentLogger(),
    }),
    run: async () => {
      await bench.engine.addBlocks(blocks.slice(0, 3), 'sync');
      peers.synchronized = true;
      await bench.engine.addBlocks(blocks.slice(3), 'relay');
    },
    stop: () => bench.engine.stop(),
  };
}

describe.each([
  ['suppressed', [] as string[], [4]],
  ['published if configured', ['--events-during-sync', '--notify-during-sync'], [1, 2, 3, 4]],
])('the first synchronization is %s', (_, args, reported) => {
  it('is written to the journal', async () => {
    const node = await catchingUp();
    const journal = await startJournal(node.parts(...args));
    try {
      await node.run();
      const heights = (): unknown[] => journal.after(0, JOURNAL_TOPICS, 100).map(({ body }) => body['height']);
      for (;;) {
        const more = new Promise<void>((resolve) => {
          const end = journal.onEntry(() => (end(), resolve()));
        });
        if (heights().includes(4)) break;
        await more;
      }
      expect(heights()).toEqual(reported);
    } finally {
      await journal.close();
      await node.stop();
    }
  });

  it('is delivered to hooks', async () => {
    const heights: number[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += String(part)));
      request.on('end', () => {
        heights.push((JSON.parse(body) as { height: number }).height);
        response.end();
        server.emit('told');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    const node = await catchingUp();
    const journal = { latest: () => 0, after: () => [], onEntry: () => () => undefined };
    const hooks = await startNodeHooks({ ...node.parts('--block-notify', url, ...args), journal });
    try {
      await node.run();
      while (!heights.includes(4)) await once(server, 'told');
      expect(heights).toEqual(reported);
    } finally {
      await hooks.close();
      server.close();
      server.closeAllConnections();
      await node.stop();
    }
  });
});

const DAY = 86_400_000;

test.each([
  ['3', [2]],
  ['30', [20, 2]],
  ['0', [4_000, 20, 2]],
])('entries are retained for %s days', async (days, kept) => {
  const node = await catchingUp();
  const { directory, chain } = node.parts();
  const store = openStore(directory);
  const append = (age: number): void => {
    store.append(['tx', { hash: freshHash().toString('hex'), age }], Date.now() - age * DAY);
  };
  store.commit(() => {
    store.extend(chain.tip());
    [4_000, 20, 2].forEach(append);
  });
  store.close();
  const start = () => startJournal(node.parts('--events-keep', days, '--events-during-sync'));
  let journal = await start();
  try {
    const ages = (): unknown[] => journal.after(0, ['tx'], 10).map(({ body }) => body['age']);
    await node.run();
    // The age is measured against the newest block of the journal; each start deletes old entries.
    await journal.close();
    journal = await start();
    while (ages().length > kept.length) await new Promise(setImmediate);
    expect(ages()).toEqual(kept);
  } finally {
    await journal.close();
    await node.stop();
  }
});
