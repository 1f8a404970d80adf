import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { eventSource, WAITING_PER_ADDRESS } from '../../src/events/routes/event-source';
import { EventStream } from '../../src/events/routes/stream';
import type { JournalPage } from '../../src/events/journal/reading';

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
  const asked: number[] = [];
  const journal = {
    latest: () => 1_000_000,
    onEntry: () => () => undefined,
    page: (after: number): JournalPage => {
      asked.push(after);
      const entry = { number: after + 1, topic: 'tx', time: 0, body: '{}' } as const;
      return { journal: 'j', entries: [entry], next: after + 1, latest: 1_000_000, keptAfter: 0 };
    },
  };
  return { asked, journal };
}

const wish = { after: 1, topics: ['tx'], limit: 1, wait: 0 } as const;

test('what a slow reader has not taken is not read from the journal', async () => {
  const { asked, journal } = endless();
  const source = eventSource(journal, { maxClients: 1, stopping: new AbortController().signal });
  const reader = new SlowReader();
  const leaving = new AbortController();
  const stream = new EventStream(source, wish, journal.page(1), reader as unknown as ServerResponse, leaving.signal);
  reader.takes = false;
  const running = stream.run();
  for (const writes of [1, 2, 3]) {
    while (reader.written.length < writes) await new Promise((go) => reader.once('written', go));
    expect(asked.length).toBe(writes);
    reader.emit('drain');
  }
  leaving.abort();
  await running;
  expect(reader.ended).toBe(true);
  expect(reader.listenerCount('drain')).toBe(0);
});

test('one who is told nothing hears a heartbeat, with the number to go on after', async () => {
  const page: JournalPage = { journal: 'j', entries: [], next: 9, latest: 9, keptAfter: 0 };
  const journal = { latest: () => 9, onEntry: () => () => undefined, page: () => page };
  const stopping = new AbortController();
  const source = eventSource(journal, { maxClients: 1, stopping: stopping.signal, heartbeat: 1 });
  const reader = new SlowReader();
  const stream = new EventStream(source, wish, page, reader as unknown as ServerResponse, new AbortController().signal);
  const running = stream.run();
  while (!reader.written.includes(': heartbeat\nid: 9\n\n')) await new Promise((go) => reader.once('written', go));
  stopping.abort();
  await running;
  expect(reader.ended).toBe(true);
});

test('an address has so many places, this machine as many as there are', () => {
  const { journal } = endless();
  const source = eventSource(journal, { maxClients: WAITING_PER_ADDRESS + 2, stopping: new AbortController().signal });
  const enter = (client: string): ReturnType<typeof source.enter> => source.enter(client);
  const leave = Array.from({ length: WAITING_PER_ADDRESS }, () => enter('192.0.2.1'));
  expect(enter('192.0.2.1')).toBe('address');
  expect([enter('127.0.0.1'), enter('192.0.2.2')].map((entered) => typeof entered)).toEqual(['function', 'function']);
  expect(enter('127.0.0.1')).toBe('all');
  for (const one of leave) if (typeof one === 'function') one();
  expect(typeof enter('192.0.2.1')).toBe('function');
});
