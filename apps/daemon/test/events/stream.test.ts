import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { daemonApi } from '@wrkz/api';
import { EventSource, MAX_WAITING_PER_ADDRESS } from '../../src/events/routes/event-source';
import { refuse } from '../../src/rpc/errors';
import { EventStream } from '../../src/events/routes/stream';
import type { JournalPage } from '../../src/events/journal/reader';

class SlowReader extends EventEmitter {
  readonly written: string[] = [];
  ended = false;
  takes = true;
  setHeader(): void {}
  write(text: string): boolean {
    this.written.push(text);
    this.emit('written');
    return this.takes;
  }
  end(): void {
    this.ended = true;
    this.emit('written');
  }
}

/** A journal whose every page has one event more. */
function endless() {
  const requested: number[] = [];
  const journal = {
    latest: () => 1_000_000,
    onEntry: () => () => undefined,
    page: (after: number): JournalPage => {
      requested.push(after);
      const entry = { number: after + 1, topic: 'tx', time: 0, body: '{}' } as const;
      return { journal: 'j', entries: [entry], next: after + 1, latest: 1_000_000, keptAfter: 0 };
    },
  };
  return { requested, journal };
}

const query = { after: 1, topics: ['tx'], limit: 1, waitSeconds: 0 } as const;

test('a stream reads the next page after a slow client has received the previous one', async () => {
  const { requested, journal } = endless();
  const source = new EventSource(journal, { maxClients: 1, stopping: new AbortController().signal });
  const reader = new SlowReader();
  const leaving = new AbortController();
  const stream = new EventStream(source, query, journal.page(1), reader as unknown as ServerResponse, leaving.signal);
  reader.takes = false;
  const running = stream.run();
  for (const writes of [1, 2, 3]) {
    while (reader.written.length < writes) await new Promise((go) => reader.once('written', go));
    expect(requested.length).toBe(writes);
    reader.emit('drain');
  }
  leaving.abort();
  await running;
  expect(reader.ended).toBe(true);
  expect(reader.listenerCount('drain')).toBe(0);
});

test('a stream without events sends heartbeats with the last number', async () => {
  const page: JournalPage = { journal: 'j', entries: [], next: 9, latest: 9, keptAfter: 0 };
  const journal = { latest: () => 9, onEntry: () => () => undefined, page: () => page };
  const stopping = new AbortController();
  const source = new EventSource(journal, { maxClients: 1, stopping: stopping.signal, heartbeatMs: 1 });
  const reader = new SlowReader();
  const { signal } = new AbortController();
  const stream = new EventStream(source, query, page, reader as unknown as ServerResponse, signal);
  const running = stream.run();
  while (!reader.written.includes(': heartbeat\nid: 9\n\n')) await new Promise((go) => reader.once('written', go));
  stopping.abort();
  await running;
  expect(reader.ended).toBe(true);
});

test('waiting clients are limited in total and for each address, loopback exempt', () => {
  const { journal } = endless();
  const maxClients = MAX_WAITING_PER_ADDRESS + 2;
  const source = new EventSource(journal, { maxClients, stopping: new AbortController().signal });
  const releases = Array.from({ length: MAX_WAITING_PER_ADDRESS }, () => source.acquire('192.0.2.1'));
  const { tooManyWait, tooManyWaitHere } = daemonApi.refusals;
  expect(() => source.acquire('192.0.2.1')).toThrow(refuse(tooManyWaitHere));
  source.acquire('127.0.0.1');
  source.acquire('192.0.2.2');
  expect(() => source.acquire('127.0.0.1')).toThrow(refuse(tooManyWait));
  for (const release of releases) release();
  expect(() => source.acquire('192.0.2.1')).not.toThrow();
});
