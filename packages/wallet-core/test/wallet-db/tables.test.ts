import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SqliteConnection, SqliteDatabase } from '@wrkz/sqlite';
import fc from 'fast-check';
import { utcDayOf, NotifiedStage, type StoredDetails } from '../../src/wallet-db/records';
import { decodeRow, encodeRow, RowSealer } from '../../src/wallet-db/seal';
import type { SendState } from '../../src/wallet-db/sends';
import { UncertainCommit } from '../../src/wallet-db/sealed-database';
import { FILE_SUFFIXES, type WalletDb, walletDbName } from '../../src/wallet-db/wallet-db';
import { arbitraryContent } from '../support/arbitrary-content';
import { fresh, removeFolders } from '../support/folder';
import { HASH, openDb, OTHER_HASH, output, ring, signedSend } from './support/filled';

let walletFile: string;
let db: WalletDb;

beforeEach(() => {
  walletFile = fresh('a.wallet');
  db = openDb(walletFile);
});

afterEach(() => {
  db.close();
  removeFolders();
});

function reopen(): void {
  db.close();
  db = openDb(walletFile);
}

const position = (): number => db.mark.position;

const shop = { owner: 'shop', key: 'k' };

/** JSON has no negative zero. */
// No row has the key that marks a Map.
const jsonValue = fc
  .jsonValue()
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  .filter((value) => !JSON.stringify(value).includes('"~m":'));
const bytes = fc.uint8Array().map((array) => Buffer.from(array));
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string().map((end) => `~${end}`),
  fc.constantFrom('~n1', '~b', '~s~'),
);
const value = fc.oneof(jsonValue, fc.bigInt(), bytes, text);

test('a row is unchanged after encoding, with bigints, bytes, maps and any text', () => {
  const row = fc.record({
    value,
    list: fc.array(value),
    map: fc.array(fc.tuple(text, value)).map((list) => new Map(list)),
  });
  fc.assert(fc.property(row, (each) => expect(decodeRow(encodeRow(each))).toEqual(each)));
  fc.assert(
    fc.property(arbitraryContent, (each) => expect(decodeRow(encodeRow(each))).toEqual(each)),
    { numRuns: 30 },
  );
});

describe('sends', () => {
  test('survive a restart in the order of their first insertion, and settled ones have no bytes', () => {
    const signed = signedSend(HASH);
    db.sends.put({ hash: HASH, state: 'pending', created: 1, signed });
    db.sends.put({ hash: OTHER_HASH, state: 'refused', created: 2, signed, reason: 'double spend', refusedSince: 7 });
    db.sends.put({ hash: HASH, state: 'confirmed', created: 1, signed, height: 8 });
    reopen();
    expect(db.sends.all()).toEqual([
      { hash: HASH, state: 'confirmed', created: 1, signed, height: 8 },
      { hash: OTHER_HASH, state: 'refused', created: 2, signed, reason: 'double spend', refusedSince: 7 },
    ]);
    db.sends.put({ hash: HASH, state: 'settled', created: 1, signed, height: 8 });
    expect(db.sends.get(HASH)).toEqual({ hash: HASH, state: 'settled', created: 1, height: 8 });
    const hashes = (...states: SendState[]): string[] => db.sends.all(states).map(({ hash }) => hash);
    expect(hashes('refused', 'pending')).toEqual([OTHER_HASH]);
    expect(hashes('settled')).toEqual([HASH]);
    expect(db.sends.all()).toHaveLength(2);
  });

  test('a settled send becomes open again after a reorganisation, and is stored once', () => {
    const signed = signedSend(HASH);
    db.sends.put({ hash: HASH, state: 'settled', created: 1 });
    db.sends.put({ hash: HASH, state: 'pending', created: 1, signed });
    expect(db.sends.all()).toEqual([{ hash: HASH, state: 'pending', created: 1, signed }]);
    expect(db.sends.delete(HASH)).toBe(true);
    expect(db.sends.delete(HASH)).toBe(false);
    expect(db.sends.get(HASH)).toBeUndefined();
  });
});

describe('requests', () => {
  test('begin distinguishes a new key, another body, a completed and an incomplete request', () => {
    expect(db.requests.begin(shop, 'body', 1)).toEqual({ kind: 'new' });
    expect(db.requests.begin(shop, 'body', 2)).toEqual({ kind: 'incomplete', sends: [] });
    db.requests.link(shop, HASH);
    db.requests.link(shop, OTHER_HASH);
    db.requests.link(shop, HASH);
    reopen();
    expect(db.requests.begin(shop, Buffer.from('body'), 3)).toEqual({ kind: 'incomplete', sends: [HASH, OTHER_HASH] });
    expect(db.requests.begin(shop, 'other', 3)).toEqual({ kind: 'other-body' });
    db.requests.complete(shop, { status: 201, body: 'first' });
    db.requests.complete(shop, { status: 500, body: 'second' });
    const answered = { kind: 'completed', response: { status: 201, body: 'first' }, sends: [HASH, OTHER_HASH] };
    expect(db.requests.begin(shop, 'body', 4)).toEqual(answered);
  });

  test('equal keys of two owners are two requests', () => {
    expect(db.requests.begin({ owner: 'a', key: 'bc' }, '', 1).kind).toBe('new');
    expect(db.requests.begin({ owner: 'ab', key: 'c' }, '', 1).kind).toBe('new');
    expect(db.requests.begin({ owner: 'a","', key: 'c' }, '', 1).kind).toBe('new');
    expect(db.requests.begin({ owner: 'a', key: '","c' }, '', 1).kind).toBe('new');
  });

  test('a request is deleted unless it has a transaction or a response', () => {
    expect(db.requests.forget(shop)).toBe(false);
    db.requests.begin(shop, '', 1);
    expect(db.requests.forget(shop)).toBe(true);
    db.requests.begin(shop, '', 1);
    db.requests.link(shop, HASH);
    expect(db.requests.forget(shop)).toBe(false);
    const other = { owner: 'shop', key: 'completed' };
    db.requests.begin(other, '', 1);
    db.requests.complete(other, { status: 201, body: '' });
    expect(db.requests.forget(other)).toBe(false);
    expect(db.requests.begin(shop, '', 1)).toEqual({ kind: 'incomplete', sends: [HASH] });
  });

  test('a request that was not begun can be neither linked nor completed', () => {
    const refusal = new RangeError('no request with this idempotency key is recorded');
    expect(() => db.requests.link(shop, HASH)).toThrow(refusal);
    expect(() => db.requests.complete(shop, { status: 201, body: '' })).toThrow(refusal);
  });

  test('an old request is deleted when its transactions are settled, and the newest ones are retained', () => {
    const keys = ['settled', 'open', 'none', 'young', 'last but newest', 'newest'];
    keys.forEach((key, i) => db.requests.begin({ owner: '', key }, '', i === 3 ? 50 : i));
    db.requests.link({ owner: '', key: 'settled' }, HASH);
    db.requests.link({ owner: '', key: 'open' }, HASH);
    db.requests.link({ owner: '', key: 'open' }, OTHER_HASH);
    expect(db.requests.dropOld({ before: 50, newest: 1 }, (hash) => hash === HASH)).toBe(false);
    const kept = keys.filter((key) => db.requests.begin({ owner: '', key }, '', 1).kind !== 'new');
    expect(kept).toEqual(['open', 'young', 'newest']);
  });

  test('a slice deletes at most 1,000 requests, and the next slice continues after it', () => {
    db.transaction(() => {
      for (let i = 0; i < 2_500; i++) db.requests.begin({ owner: '', key: String(i) }, '', 1);
      db.requests.link({ owner: '', key: '5' }, HASH);
    });
    const rest: boolean[] = [];
    for (let more = true; more; rest.push(more)) {
      more = db.requests.dropOld({ before: 2, newest: 10 }, () => false);
    }
    expect(rest).toEqual([true, true, false]);
    const kept = Array.from({ length: 2_500 }, (_, i) => i).filter(
      (i) => db.requests.begin({ owner: '', key: String(i) }, '', 1).kind !== 'new',
    );
    expect(kept).toEqual([5, ...Array.from({ length: 10 }, (_, i) => 2_490 + i)]);
  });
});

test('a ring survives a restart', () => {
  const stored = { members: ring, refusals: 2, isReplaced: false };
  db.rings.put(HASH, stored);
  reopen();
  expect(db.rings.get(HASH)).toEqual(stored);
  expect(db.rings.get(OTHER_HASH)).toBeUndefined();
});

test('of more than 1,000 prepared transactions the oldest are evicted', () => {
  db.transaction(() => {
    for (let i = 0; i < 1_002; i++) {
      db.prepared.put(String(i), { hash: String(i), signed: signedSend(HASH), creator: 'shop', created: i });
    }
  });
  expect([db.prepared.has('1'), db.prepared.has('2'), db.prepared.has('1001')]).toEqual([false, true, true]);
  expect(db.prepared.get('1001')).toEqual({ hash: '1001', signed: signedSend(HASH), creator: 'shop', created: 1001 });
  db.prepared.clear();
  expect([...db.prepared.rows()]).toEqual([]);
});

test('a reorganisation above all retired outputs reads none of them', () => {
  const retire = (key: string, spendHeight: number): void =>
    db.retired.put(key, { publicSpendKey: HASH, output: { ...output, key, spendHeight } });
  for (let height = 1; height <= 9; height++) retire(String(height), height);
  expect(db.retired.from(8)).toHaveLength(2);
  const unseal = jest.spyOn(RowSealer.prototype, 'unseal');
  expect(db.retired.from(10)).toEqual([]);
  expect(unseal).not.toHaveBeenCalled();
  unseal.mockRestore();
  retire('10', 10);
  expect(db.retired.from(10)).toHaveLength(1);
});

test('prepared transactions of one access key do not evict those of another one', () => {
  const prepare = (hash: string, creator: string): void =>
    db.prepared.put(hash, { hash, signed: signedSend(HASH), creator, created: 1 });
  db.transaction(() => {
    prepare('till', 'till');
    for (let i = 0; i < 1_002; i++) prepare(String(i), 'shop');
    prepare('late', 'late');
  });
  expect(['till', 'late', '3', '4'].map((hash) => db.prepared.has(hash))).toEqual([true, true, false, true]);
});

test('the state of a delayed transaction changes only from its current state', () => {
  const transaction = { hash: HASH, created: 5, signed: signedSend(HASH) };
  db.delayed.add(transaction);
  expect(() => db.delayed.add(transaction)).toThrow(new RangeError(`the delayed transaction ${HASH} already exists`));
  db.delayed.add({ ...transaction, hash: OTHER_HASH, created: 4 });
  reopen();
  expect(db.delayed.inState('delayed').map(({ hash }) => hash)).toEqual([HASH, OTHER_HASH]);
  expect(db.delayed.move(HASH, 'sending', 'sent')).toBe(false);
  expect(db.delayed.move(HASH, 'delayed', 'sending')).toBe(true);
  expect(db.delayed.move('00'.repeat(32), 'delayed', 'sending')).toBe(false);
  expect(db.delayed.get(HASH)).toEqual({ ...transaction, state: 'sending' });
  expect(db.delayed.inState('sending')).toHaveLength(1);
});

test('retired outputs are filtered by spend height', () => {
  const retired = [8, 9, 10].map((spendHeight) => ({
    output: { ...output, spendHeight, key: String(spendHeight) },
    publicSpendKey: HASH,
  }));
  for (const each of retired) db.retired.put(each.output.key, each);
  reopen();
  expect(db.retired.from(9)).toEqual(retired.slice(1));
  db.retired.delete('10');
  expect(db.retired.from(9)).toEqual(retired.slice(1, 2));
});

test('details survive a restart with few and with all fields', () => {
  const few: StoredDetails = { extra: Buffer.alloc(0), inputs: 0n, outputs: 2n ** 64n - 1n };
  const all: StoredDetails = {
    ...few,
    extra: Buffer.from([1, 255]),
    blockHash: HASH,
    unlockTime: 2n ** 64n - 1n,
    mixin: 3,
    received: new Map([[HASH, 5n]]),
    sent: [{ address: 'a~b', amount: 1n, isChange: true }],
  };
  db.details.put(HASH, few);
  db.details.put(OTHER_HASH, all);
  reopen();
  expect(db.details.get(HASH)).toEqual(few);
  expect(db.details.get(OTHER_HASH)).toEqual(all);
  expect(['01', HASH].map((hash) => db.details.has(hash))).toEqual([false, true]);
});

describe('the ledger log', () => {
  const changes = (from: number): unknown[] => [...db.log.after(from)].map(({ change }) => change);

  test('returns the changes after a position in order, with other changes of money in between', () => {
    const first = db.log.append('a' as never);
    db.sends.put({ hash: HASH, state: 'pending', created: 1 });
    const second = db.log.append('b' as never);
    db.log.append('c' as never);
    reopen();
    expect(changes(0)).toEqual(['a', 'b', 'c']);
    expect(changes(first)).toEqual(['b', 'c']);
    expect(changes(second - 1)).toEqual(['b', 'c']);
    expect(changes(position())).toEqual([]);
    expect([...db.log.after(second)]).toEqual([{ position: position(), change: 'c' }]);
  });

  test('a truncated log cannot be read from below its floor', () => {
    const first = db.log.append('a' as never);
    db.log.append('b' as never);
    db.log.truncate(first);
    reopen();
    expect(db.log.floor).toBe(first);
    expect(() => changes(first - 1)).toThrow(
      new RangeError(`the ledger log begins after position ${first} and cannot be read from ${first - 1} on`),
    );
    expect(changes(first)).toEqual(['b']);
    db.log.truncate(0);
    expect(db.log.floor).toBe(first);
    db.log.truncate(position());
    expect(changes(position())).toEqual([]);
    const next = db.log.append('c' as never);
    expect(changes(next - 1)).toEqual(['c']);
  });

  test('entries may be appended and removed while others are read', () => {
    db.transaction(() => {
      for (let i = 0; i < 600; i++) db.log.append(i as never);
    });
    const read: unknown[] = [];
    for (const { position: at, change } of db.log.after(0)) {
      if (read.length < 600) db.log.append('new' as never);
      if (at === 300) db.log.truncate(200);
      read.push(change);
    }
    expect(read.slice(0, 601)).toEqual([...Array.from({ length: 600 }, (_, i) => i), 'new']);
    expect(read).toHaveLength(1_200);
  });

  test('scan progress is one row that is overwritten', () => {
    expect(db.log.progress()).toBeUndefined();
    db.log.putProgress({ height: 1 } as never);
    db.log.putProgress({ height: 2 } as never);
    reopen();
    expect(db.log.progress()).toEqual({ height: 2 });
  });
});

test('events are numbered without gaps, over restarts and failed transactions', () => {
  const event = { kind: 'received', transaction: HASH, subWallet: 'W', amount: 5n, time: 1, payload: { a: 1n } };
  expect(db.events.append(event)).toBe(1);
  expect(() =>
    db.transaction(() => {
      db.events.append(event);
      throw new Error('no');
    }),
  ).toThrow('no');
  reopen();
  expect(db.events.append({ kind: 'paused', time: 2 })).toBe(2);
  expect(db.events.last).toBe(2);
  expect(db.events.after(0, 5)).toEqual([
    { ...event, sequence: 1 },
    { kind: 'paused', time: 2, sequence: 2 },
  ]);
  expect(db.events.after(0, 1)).toHaveLength(1);
  expect(db.events.after(1, 5)).toHaveLength(1);
  expect(db.events.after(2, 5)).toEqual([]);
  expect(db.events.after(9, 5)).toEqual([]);
});

test('more events than one query reads are returned up to a limit', () => {
  db.transaction(() => {
    for (let time = 1; time <= 600; time++) db.events.append({ kind: 'k', time });
  });
  for (const limit of [256, 300, 512, 700]) {
    const times = db.events.after(0, limit).map(({ time }) => time);
    expect(times).toEqual(Array.from({ length: Math.min(limit, 600) }, (_, i) => i + 1));
  }
});

describe('spending', () => {
  test('is reserved up to the daily limit of a key, and can be refunded', () => {
    expect(db.spending.reserve('shop', 3, 5n, 9n)).toBe(true);
    expect(db.spending.reserve('shop', 3, 5n, 9n)).toBe(false);
    expect(db.spending.reserve('shop', 3, 4n, 9n)).toBe(true);
    expect(db.spending.reserve('shop', 4, 9n, 9n)).toBe(true);
    expect(db.spending.reserve('other', 3, 9n, 9n)).toBe(true);
    reopen();
    expect(db.spending.spent('shop', 3)).toBe(9n);
    db.spending.refund('shop', 3, 5n, HASH);
    expect(db.spending.spent('shop', 3)).toBe(4n);
    db.spending.refund('shop', 3, 5n, OTHER_HASH);
    expect(db.spending.spent('shop', 3)).toBe(0n);
    expect(db.spending.reserve('shop', 3, 0n, 9n)).toBe(true);
    expect(() => db.spending.reserve('shop', 3, -1n, 9n)).toThrow(new RangeError('an amount must not be negative'));
  });

  test('a refund is charged again once, on the day when the transaction was mined', () => {
    db.spending.reserve('shop', 3, 7n, 9n);
    db.spending.refund('shop', 3, 5n, HASH);
    db.spending.refund('shop', 3, 2n, '00');
    db.spending.reserve('shop', 4, 9n, 9n);
    reopen();
    for (let i = 0; i < 2; i++) db.spending.chargeAgain(HASH, 4);
    db.spending.chargeAgain(OTHER_HASH, 4);
    expect([3, 4].map((day) => db.spending.spent('shop', day))).toEqual([0n, 14n]);
    db.spending.chargeAgain('00', 5);
    expect(db.spending.spent('shop', 5)).toBe(2n);
    db.spending.refund('shop', 3, 5n, HASH);
    db.spending.refund('shop', 4, 1n, '00');
    expect(db.spending.dropBefore(4, 35)).toBe(1);
    db.spending.chargeAgain(HASH, 4);
    expect(db.spending.spent('shop', 4)).toBe(13n);
    db.spending.chargeAgain('00', 4);
    expect(db.spending.spent('shop', 4)).toBe(14n);
  });

  test('a transaction that is sent again after its refund is charged once', () => {
    db.spending.reserve('shop', 3, 5n, 9n, HASH);
    db.spending.refund('shop', 3, 5n, HASH);
    db.spending.reserve('shop', 3, 5n, 9n, HASH);
    db.spending.chargeAgain(HASH, 3);
    expect(db.spending.spent('shop', 3)).toBe(5n);
  });

  test('the newest days of each key are retained regardless of age', () => {
    for (const [name, day] of [
      ['a', 3],
      ['a', 5],
      ['a', 1],
      ['b', 2],
    ] as const)
      db.spending.reserve(name, day, 1n, 1n);
    expect(db.spending.dropBefore(5, 1)).toBe(2);
    const spent = (['a', 'b'] as const).map((name) => [1, 2, 3, 5].filter((day) => db.spending.spent(name, day) > 0n));
    expect(spent).toEqual([[5], [2]]);
    expect(db.spending.dropBefore(5)).toBe(1);
  });

  test('days are in UTC', () => {
    expect([utcDayOf(0), utcDayOf(86_399_999), utcDayOf(86_400_000)]).toEqual([0, 0, 1]);
  });
});

test('the notification stage of each hash only increases, even after a restart', () => {
  const { none, seen, confirmed } = NotifiedStage;
  expect(db.notified.advance([HASH], seen)).toEqual([none]);
  expect(db.notified.advance([HASH, OTHER_HASH], seen)).toEqual([undefined, none]);
  reopen();
  expect(db.notified.advance([HASH], confirmed)).toEqual([seen]);
  expect(db.notified.advance([HASH], seen)).toEqual([undefined]);
  expect([db.notified.stage(HASH), db.notified.stage('00')]).toEqual([confirmed, none]);
});

test('labels and settings survive a restart', () => {
  db.labels.put(HASH, { subject: HASH, text: 'rent' });
  db.settings.put('pause', { reason: 'disk', since: 5n });
  reopen();
  expect(db.labels.get(HASH)?.text).toBe('rent');
  expect(db.settings.get('pause')).toEqual({ reason: 'disk', since: 5n });
  expect(db.settings.delete('pause')).toBe(true);
  expect(db.settings.get('pause')).toBeUndefined();
});

describe('a transaction', () => {
  const send = (hash: string): void => db.sends.put({ hash, state: 'pending', created: 1 });

  test('rolls back with all nested ones and the position', () => {
    const before = position();
    expect(() =>
      db.transaction(() => {
        send(HASH);
        db.transaction(() => db.log.append('a' as never));
        throw new Error('no');
      }),
    ).toThrow('no');
    expect([position(), db.sends.all(), [...db.log.after(0)]]).toEqual([before, [], []]);
  });

  test('rolls back when a nested one failed, even if its error was caught', () => {
    const before = position();
    expect(() =>
      db.transaction(() => {
        send(HASH);
        try {
          db.transaction(() => {
            send(OTHER_HASH);
            throw new Error('nested');
          });
        } catch {
          // The caller ignores the error.
        }
        send('00');
      }),
    ).toThrow('nested');
    expect([position(), db.sends.all()]).toEqual([before, []]);
    send(HASH);
    expect(db.sends.all()).toHaveLength(1);
  });

  describe('whose commit failed in the sync of the log', () => {
    /** Writes the frames of another commit into the log, which the open database does not count. */
    const fail = (): void => {
      const twin = copied('twin');
      const connection = new SqliteConnection(twin, {});
      connection.exec('DELETE FROM labels');
      writeFileSync(`${walletDbName(walletFile)}-wal`, readFileSync(`${twin}-wal`), { flag: 'r+' });
      connection.close();
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    };

    /** Copies the files, as a kill would leave them. @returns the path of the copied database */
    const copied = (name: string): string => {
      const file = fresh(name);
      for (const suffix of FILE_SUFFIXES) {
        const from = walletDbName(walletFile) + suffix;
        if (existsSync(from) && suffix !== '-shm') copyFileSync(from, walletDbName(file) + suffix);
      }
      return walletDbName(file);
    };

    beforeEach(() => db.labels.put(HASH, { subject: HASH, text: 'rent' }));

    test('is not applied after a kill', () => {
      expect(() => db.transaction(fail)).toThrow('disk I/O error');
      const left = openDb(copied('left').replace(/\.db$/, ''));
      expect(left.labels.get(HASH)?.text).toBe('rent');
      left.close();
    });

    test('is reported as uncertain if the log cannot be truncated', () => {
      jest.spyOn(SqliteDatabase.prototype, 'dropFailedCommit').mockImplementation(() => {
        throw new Error('disk I/O error');
      });
      expect(() => db.transaction(fail)).toThrow(UncertainCommit);
      jest.restoreAllMocks();
    });
  });

  test('refuses asynchronous work', () => {
    expect(() =>
      db.transaction(async () => {
        send(HASH);
        await Promise.resolve();
      }),
    ).toThrow(TypeError);
    expect(db.sends.all()).toEqual([]);
  });

  test.each([
    ['a send', () => send(HASH)],
    ['a deleted send', () => db.sends.delete('00')],
    ['a linked send', () => db.requests.link(shop, OTHER_HASH)],
    ['a delayed transaction', () => db.delayed.add({ hash: HASH, created: 1, signed: signedSend(HASH) })],
    ['a moved delayed transaction', () => db.delayed.move(OTHER_HASH, 'delayed', 'sent')],
    ['a ledger change', () => db.log.append('a' as never)],
    ['a reservation', () => db.spending.reserve('a', 1, 1n, 1n)],
  ])('increments the position with %s', (_what, write) => {
    db.requests.begin(shop, '', 1);
    db.delayed.add({ hash: OTHER_HASH, created: 1, signed: signedSend(HASH) });
    send('00');
    const before = position();
    write();
    expect(position()).toBe(before + 1);
    reopen();
    expect(position()).toBe(before + 1);
  });
});
