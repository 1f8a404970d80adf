import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FeedGap } from '@wrkz/service-kit';
import { chainAWallet } from '@wrkz/testing';
import {
  journalHookFeed,
  type NodeHooksDependencies,
  notificationOfEntry,
  notificationsOf,
} from '../../src/events/hooks';
import { EntriesGone, type JournalEntry } from '../../src/events/journal/entry';
import type { EventBlock, NodeEvent } from '../../src/events/node-events';
import { topicMessages } from '../../src/events/topics';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

exercises('block-notify', 'double-spend-notify', 'notify-durable');

const hash = (byte: number): Buffer => Buffer.alloc(32, byte);
const hex = (byte: number): string => hash(byte).toString('hex');
const block = (height: number): EventBlock => ({
  height,
  hash: hash(height),
  previousHash: hash(height - 1),
  timestamp: 1,
  transactionHashes: [hash(0xc0), hash(0xaa)],
});
const reorganisation: NodeEvent = {
  kind: 'reorganisation',
  rootHeight: 3,
  rootHash: hash(3),
  added: [block(4), block(5)],
  removed: [{ height: 4, hash: hash(9) }],
};
const events: NodeEvent[] = [
  { kind: 'block', ...block(7), catchingUp: false },
  { kind: 'alternative', height: 8, hash: hash(8) },
  reorganisation,
  { kind: 'pool-added', hash: hash(1) },
  { kind: 'pool-removed', hashes: [hash(1), hash(2)], reason: 'InBlock' },
  { kind: 'double-spend', pooled: hash(1), refused: hash(2), keyImage: hash(3) },
  {
    kind: 'refused-branch',
    fork: 3,
    height: 4,
    hash: hash(4),
    cumulativeDifficulty: 5n,
    reason: 'deep',
    remedy: 'act',
  },
];

test('hooks receive the documented events: a reorganisation first, then its blocks', () => {
  const reported = events
    .flatMap(notificationsOf)
    .map(({ hook, event }) => [hook, event.placeholders, JSON.stringify({ event: event.event, ...event.fields })]);
  expect(reported).toEqual([
    ['block-notify', { s: hex(7), h: '7' }, `{"event":"block","height":7,"hash":"${hex(7)}"}`],
    [
      'reorg-notify',
      { s: '4', h: '5', n: '2', d: '1' },
      '{"event":"reorg","split_height":4,"new_height":5,"new_blocks":2,"discarded_blocks":1}',
    ],
    ['block-notify', { s: hex(4), h: '4' }, `{"event":"block","height":4,"hash":"${hex(4)}"}`],
    ['block-notify', { s: hex(5), h: '5' }, `{"event":"block","height":5,"hash":"${hex(5)}"}`],
    ['tx-notify', { s: hex(1) }, `{"event":"tx","hash":"${hex(1)}"}`],
    [
      'double-spend-notify',
      { s: hex(1), r: hex(2), k: hex(3) },
      `{"event":"double-spend","pooled_hash":"${hex(1)}","refused_hash":"${hex(2)}","key_image":"${hex(3)}"}`,
    ],
  ]);
});

test('messages have the documented bodies, byte for byte', () => {
  expect(events.flatMap(topicMessages).map(({ topic, body }) => `${topic} ${body}`)).toEqual([
    `hashblock {"height":7,"hash":"${hex(7)}"}`,
    `chain_main {"height":7,"hash":"${hex(7)}","transaction_hashes":["${hex(0xc0)}","${hex(0xaa)}"]}`,
    `hashblock_alt {"height":8,"hash":"${hex(8)}"}`,
    `chainswitch {"common_root_height":3,"hashes":["${hex(3)}","${hex(4)}","${hex(5)}"]}`,
    `txpool_add {"hashes":["${hex(1)}"]}`,
    `txpool_del {"hashes":["${hex(1)}","${hex(2)}"],"reason":"InBlock"}`,
    `double_spend {"pooled_hash":"${hex(1)}","refused_hash":"${hex(2)}","key_image":"${hex(3)}"}`,
    `refused_branch {"height":4,"hash":"${hex(4)}","common_root_height":3}`,
  ]);
});

test('a hook reads the journal through its filter, with its gaps', () => {
  const entry = (number: number, topic: JournalEntry['topic'], body: JournalEntry['body']): JournalEntry => {
    return { number, topic, time: 0, body };
  };
  const entries = [
    entry(1, 'tx', { hash: hex(1) }),
    entry(3, 'block', { height: 7, hash: hex(7), timestamp: 1, transaction_hashes: [] }),
    entry(4, 'reorganisation', { split_height: 4, new_height: 5, new_blocks: 2, discarded_blocks: 1 }),
    entry(5, 'alternative', { height: 8, hash: hex(8) }),
    entry(6, 'pool-removed', { hashes: [hex(1)], reason: 'InBlock' }),
    entry(7, 'double-spend', { pooled_hash: hex(1), refused_hash: hex(2), key_image: hex(3) }),
    entry(8, 'refused-branch', { height: 4, hash: hex(4), common_root_height: 3 }),
  ];
  const live = [events[3], events[0], reorganisation, events[5]].map((event) => event && notificationsOf(event)[0]);
  expect(entries.map(notificationOfEntry)).toEqual([...live.slice(0, 3), undefined, undefined, live[3], undefined]);
  const journal: NodeHooksDependencies['journal'] = {
    latest: () => 8,
    after: (after) => {
      if (after > 8) throw new EntriesGone(after, 2, 8);
      return entries;
    },
    onEntry: () => () => undefined,
  };
  const feed = journalHookFeed(journal, 'reorg-notify');
  expect(feed.after(0, 10).map(({ number, event }) => [number, event?.event])).toEqual([
    [1, undefined],
    [3, undefined],
    [4, 'reorg'],
    [5, undefined],
    [6, undefined],
    [7, undefined],
    [8, undefined],
  ]);
  expect(() => feed.after(9, 10)).toThrow(new FeedGap(2));
});

test('a durable hook misses no block while its receiver or the node is down', async () => {
  const suite = newSuite();
  const heights: number[] = [];
  let server: Server | undefined;
  let port = 0;
  const listen = async (): Promise<void> => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += String(part)));
      request.on('end', () => {
        heights.push((JSON.parse(body) as { height: number }).height);
        response.writeHead(200).end();
        server?.emit('told');
      });
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const untilNotified = async (height: number): Promise<void> => {
    while (server !== undefined && !heights.includes(height)) await once(server, 'told');
  };
  const down = async (): Promise<void> => {
    const closed = server && once(server, 'close');
    server?.close();
    server?.closeAllConnections();
    await closed;
  };
  const { address } = chainAWallet('alice');
  try {
    await listen();
    const args = ['--notify-durable', '--block-notify', `http://127.0.0.1:${String(port)}/`];
    const first = await suite.node({ args });
    await first.generate(address, 2);
    await untilNotified(2);
    await down();
    await first.generate(address, 2);
    await first.stop();
    const second = await suite.node({ args, from: first.dataDir });
    await second.generate(address, 1);
    await listen();
    await untilNotified(5);
    // At least once, and in order.
    expect([...new Set(heights)]).toEqual([1, 2, 3, 4, 5]);
  } finally {
    await suite.stopAll();
    await down();
  }
});
