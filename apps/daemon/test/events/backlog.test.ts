import { EventEmitter, once } from 'node:events';
import { createMemoryLogger } from '@wrkz/service-kit';
import { SqliteConnection } from '@wrkz/sqlite';
import { EventJournal } from '../../src/events/journal/event-journal';
import { JOURNAL_TOPICS, type JournalEntry } from '../../src/events/journal/entry';
import { journalFile } from '../../src/events/journal/schema';
import type { NodeEvent, NodeEventListener } from '../../src/events/node-events';
import { engineBench } from '../support/engine';
import { freshHash } from './support/model';

/* A journal whose file cannot be written for a while. */

async function bench() {
  const { directory, engine } = engineBench('devnet');
  const listeners = new Set<NodeEventListener>();
  const logger = createMemoryLogger();
  const warned = new EventEmitter();
  const pool: Buffer[] = [];
  const journal = await EventJournal.start(
    { directory, network: 'devnet', duringSync: false, retentionDays: 30, retryMs: 10 },
    {
      events: { subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)) },
      chain: engine,
      pool: { hashes: () => [...pool] },
      isReady: () => true,
      logger: { ...logger, warning: (text: string) => (logger.warning(text), void warned.emit('line')) },
    },
  );
  return {
    directory,
    engine,
    journal,
    logger,
    warned,
    pool,
    report: (event: NodeEvent) => {
      for (const listener of listeners) listener(event);
    },
  };
}

/** All entries, once there are as many. */
async function entries(journal: EventJournal, count: number): Promise<JournalEntry[]> {
  for (;;) {
    const more = new Promise<void>((resolve) => {
      const end = journal.onEntry(() => (end(), resolve()));
    });
    const all = journal.after(0, JOURNAL_TOPICS, 100);
    if (all.length >= count) return all;
    await more;
  }
}

test('writes events of a failed journal later: once, in order, with their original time', async () => {
  const { directory, engine, journal, logger, warned, pool, report } = await bench();
  const lock = new SqliteConnection(journalFile(directory));
  try {
    const hashes = Array.from({ length: 4 }, freshHash);
    const [first, second, third, passing] = hashes as [Buffer, Buffer, Buffer, Buffer];
    report({ kind: 'alternative', height: 5, hash: first });
    await entries(journal, 1);

    lock.exec('BEGIN IMMEDIATE');
    const from = Date.now();
    report({ kind: 'alternative', height: 5, hash: second });
    // A transaction that enters and leaves the pool: only its events report it.
    report({ kind: 'pool-added', hash: passing });
    while (logger.linesOf('warning').length === 0) await once(warned, 'line');
    expect(logger.linesOf('warning')[0]).toContain('the event journal is not written');
    report({ kind: 'pool-removed', hashes: [passing], reason: 'Outdated' });
    report({ kind: 'alternative', height: 6, hash: third });
    expect(pool).toEqual([]);
    expect(journal.backlog).toEqual({ waiting: 4, lost: 0 });
    const to = Date.now();
    lock.exec('COMMIT');

    const all = await entries(journal, 5);
    const hex = (hash: Buffer): string => hash.toString('hex');
    expect(all.map(({ topic, body }) => [topic, body])).toEqual([
      ['alternative', { height: 5, hash: hex(first) }],
      ['alternative', { height: 5, hash: hex(second) }],
      ['tx', { hash: hex(passing) }],
      ['pool-removed', { hashes: [hex(passing)], reason: 'Outdated' }],
      ['alternative', { height: 6, hash: hex(third) }],
    ]);
    for (const { time } of all.slice(1)) expect([time >= from, time <= to]).toEqual([true, true]);
    expect(journal.backlog.lost).toBe(0);
  } finally {
    lock.close();
    await journal.close();
    await engine.stop();
  }
});
