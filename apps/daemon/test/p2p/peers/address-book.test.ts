import type { PeerEntry } from '@wrkz/levin';
import { AddressBook, type BookEntry } from '../../../src/p2p/peers/address-book';

const NOW = 1_800_000_000;
const SOURCE = '77.1.1.1';
const peer = (host: string, lastSeen = NOW - 100, port = 17855): PeerEntry => ({ host, port, id: 5n, lastSeen });
const makeBook = (allowLocal = false): AddressBook => new AddressBook({ allowLocal, key: Buffer.alloc(32, 1) });
const hostsOf = (entries: readonly PeerEntry[]): string[] => entries.map(({ host }) => host);
/** `count` addresses of 200 groups from 100.0.0.0 on. */
const invented = (count: number, round: number): PeerEntry[] =>
  Array.from({ length: count }, (_, index) =>
    peer(`${100 + (index % 20)}.${Math.floor(index / 20) % 10}.${round % 256}.${1 + (index % 250)}`, NOW),
  );

describe('the address book under attack', () => {
  /** 200 honest peers of as many groups, reported by one honest peer each. */
  const honest = Array.from({ length: 200 }, (_, index) => peer(`${11 + (index % 50)}.${Math.floor(index / 50)}.0.1`));
  const filled = (): AddressBook => {
    const book = makeBook();
    for (const entry of honest) book.merge([entry], entry.host, BigInt(NOW), NOW);
    return book;
  };

  it('retains earlier reported peers, although five peers report many addresses', () => {
    const book = filled();
    const before = hostsOf(book.grayEntries());
    expect(before).toHaveLength(200);
    for (let round = 0; round < 20; round += 1) {
      for (const group of [1, 2, 3, 4, 5]) book.merge(invented(250, round), `${80 + group}.1.1.1`, BigInt(NOW), NOW);
    }
    expect(hostsOf(book.grayEntries())).toEqual(expect.arrayContaining(before));
  });

  it('takes at most 160 addresses from one source group', () => {
    const book = makeBook();
    for (let round = 0; round < 20; round += 1) book.merge(invented(250, round), `81.1.1.${round}`, BigInt(NOW), NOW);
    expect(book.sizes.gray).toBeGreaterThan(100);
    expect(book.sizes.gray).toBeLessThanOrEqual(160);
  });

  it('replaces an entry of a full bucket only after three failed calls', () => {
    const book = makeBook();
    for (let round = 0; round < 20; round += 1) book.merge(invented(250, round), SOURCE, BigInt(NOW), NOW);
    const full = hostsOf(book.grayEntries());
    const late = peer('9.9.9.9');
    for (const port of [1, 2, 3]) book.merge([peer('9.9.9.9', NOW - 100, port)], SOURCE, BigInt(NOW), NOW);
    expect(hostsOf(book.grayEntries())).toEqual(full);
    for (let call = 0; call < 3; call += 1) for (const entry of book.grayEntries()) book.noteFailure(entry);
    book.merge([late], SOURCE, BigInt(NOW), NOW);
    expect(book.sizes.gray).toBe(full.length);
    expect(hostsOf(book.grayEntries())).toContain('9.9.9.9');
  });

  it('retains white peers while addresses of a thousand groups call and are called back', () => {
    const book = makeBook();
    for (const entry of honest) book.addWhite(entry);
    const before = hostsOf(book.whiteEntries());
    expect(before.length).toBeGreaterThan(195);
    for (let index = 0; index < 2_000; index += 1) {
      book.addWhite(peer(`${100 + (index % 100)}.${Math.floor(index / 100)}.0.1`, NOW));
    }
    expect(hostsOf(book.whiteEntries())).toEqual(expect.arrayContaining(before));
    expect(book.sizes.white).toBeLessThanOrEqual(1_000);
  });

  it('retains the peers of a network when the bucket of a newcomer of that network is full', () => {
    const book = makeBook();
    for (let index = 1; index <= 16; index += 1) book.addWhite(peer(`11.22.${index}.1`, NOW - 100));
    // Peers of other networks fill all buckets.
    for (let group = 0; group < 6_400; group += 1)
      book.addWhite(peer(`${100 + (group % 100)}.${group % 256}.0.1`, NOW));
    expect(book.sizes.white).toBe(1_000);
    for (let index = 100; index <= 120; index += 1) {
      book.addWhite(peer(`11.22.${index}.1`, NOW));
      expect(book.sizes.white).toBe(1_000);
    }
  });

  it('does not count a peer that only called as reported when its white bucket is full', () => {
    const book = makeBook();
    for (let group = 0; group < 6_400; group += 1)
      book.addWhite(peer(`${100 + (group % 100)}.${group % 256}.0.1`, NOW));
    expect(book.sizes.gray).toBeGreaterThan(1_000);
    expect(book.candidates().reported).toEqual([]);
    const next = makeBook();
    next.restore({ white: book.whiteEntries(), gray: book.grayEntries(), bucketKey: book.bucketKey });
    expect(next.candidates().reported).toEqual([]);
    expect(next.sizes).toEqual(book.sizes);
  });

  it('resets the failure count of a gray peer that responds while its white bucket is full', () => {
    const book = makeBook();
    for (let group = 0; group < 6_400; group += 1)
      book.addWhite(peer(`${100 + (group % 100)}.${group % 256}.0.1`, NOW));
    book.merge([peer('11.22.1.1')], SOURCE, BigInt(NOW), NOW);
    for (let call = 0; call < 3; call += 1) book.noteFailure(peer('11.22.1.1'));
    const entry = (): BookEntry | undefined => book.grayEntries().find(({ host }) => host === '11.22.1.1');
    expect(entry()?.failures).toBe(3);
    book.addWhite({ ...peer('11.22.1.1', NOW), isProven: true });
    expect(entry()).toMatchObject({ lastSeen: NOW, isProven: true });
    expect(entry()?.failures).toBeUndefined();
    expect(hostsOf(book.candidates().proven)).toEqual(['11.22.1.1']);
  });

  it('has the same buckets after a restart, and imports entries without a source', () => {
    const book = filled();
    book.addWhite({ ...peer('8.8.8.8'), isProven: true });
    const next = new AddressBook({ allowLocal: false, key: Buffer.alloc(32, 9) });
    next.restore({ white: book.whiteEntries(), gray: book.grayEntries(), bucketKey: book.bucketKey });
    expect([next.whiteEntries(), next.grayEntries()]).toEqual([book.whiteEntries(), book.grayEntries()]);
    const old = makeBook();
    old.restore({ white: [peer('8.8.8.8')], gray: honest });
    expect(old.sizes).toEqual({ white: 1, gray: 200 });
    expect(hostsOf(old.candidates().reported)).toContain('8.8.8.8');
  });

  it('distinguishes peers that have only called from reported and verified ones, also after another call', () => {
    const book = makeBook();
    book.merge([peer('7.7.7.7')], SOURCE, BigInt(NOW), NOW);
    book.addWhite({ ...peer('8.8.8.8'), isProven: true });
    for (const host of ['7.7.7.7', '8.8.8.8', '9.9.9.9']) for (const _call of [1, 2]) book.addWhite(peer(host, NOW));
    const { proven, reported, callers } = book.candidates();
    expect([proven, reported, callers].map(hostsOf)).toEqual([['8.8.8.8'], ['7.7.7.7'], ['9.9.9.9']]);
  });
});

describe('peer lists', () => {
  it('contain each peer once, and only white ones are sent', () => {
    const book = makeBook();
    book.addGray(peer('93.184.216.34'));
    book.addWhite(peer('93.184.216.34'));
    book.addGray(peer('93.184.216.34', 1));
    book.addGray(peer('8.8.8.8'));
    book.addWhite(peer('9.9.9.9', 0));
    expect(book.sizes).toEqual({ white: 2, gray: 1 });
    expect(book.toSend().map(({ host }) => host)).toEqual(['93.184.216.34']);
  });

  it('contain at most 250 peers, the newest first', () => {
    const book = makeBook();
    for (let index = 0; index < 400; index += 1)
      book.addWhite(peer(`11.${index % 200}.0.${1 + Math.floor(index / 200)}`, index + 1));
    const sent = book.toSend();
    expect(sent).toHaveLength(250);
    expect(sent[0]?.lastSeen).toBe(400);
  });

  it('from peers are cut to 250, moved to our clock, and rejected if they contain future times', () => {
    const book = makeBook();
    const many = Array.from({ length: 300 }, (_, index) =>
      peer(`${11 + (index % 100)}.${Math.floor(index / 100)}.0.1`, 1000),
    );
    expect(book.merge(many, SOURCE, 1500n, NOW)).toBe(true);
    expect(book.sizes.gray).toBeLessThanOrEqual(160);
    expect(book.grayEntries()[0]?.lastSeen).toBe(NOW - 500);
    expect(book.merge([peer('8.8.8.8', 1501)], SOURCE, 1500n, NOW)).toBe(false);
    const old = makeBook();
    expect(old.merge([peer('8.8.4.4', 0)], SOURCE, 2n ** 64n - 1n, NOW)).toBe(true);
    expect(old.grayEntries().at(-1)?.lastSeen).toBe(0);
  });

  it('contain no local addresses and impossible ports unless enabled', () => {
    const entries = [
      peer('127.0.0.1'),
      peer('10.0.0.1'),
      peer('8.8.8.8', 1, 0),
      peer('8.8.8.8', 1, 65536),
      peer('0.0.0.0'),
      peer('255.255.255.255'),
    ];
    const strict = makeBook();
    strict.merge(entries, SOURCE, BigInt(NOW), NOW);
    expect(strict.isEmpty).toBe(true);
    const open = makeBook(true);
    open.merge(entries, SOURCE, BigInt(NOW), NOW);
    expect(
      open
        .grayEntries()
        .map(({ host }) => host)
        .sort(),
    ).toEqual(['10.0.0.1', '127.0.0.1']);
  });

  it('contain at most 16 gray peers of one /16', () => {
    const book = makeBook();
    book.merge(
      Array.from({ length: 100 }, (_, index) => peer(`11.22.${index}.1`)),
      SOURCE,
      BigInt(NOW),
      NOW,
    );
    expect(book.sizes.gray).toBe(16);
  });
});

describe('one address in the lists', () => {
  it('has at most two entries for any number of ports, and evicts no others', () => {
    const book = makeBook();
    for (let index = 0; index < 300; index += 1)
      book.addWhite(peer(`${11 + (index % 100)}.${Math.floor(index / 100)}.0.1`, NOW - 5_000));
    for (let port = 1; port <= 1_099; port += 1) book.addWhite(peer('93.184.216.34', NOW, port));
    expect(book.sizes.white).toBe(302);
    // The newest entry: the peer now listens on another port.
    const own = book.whiteEntries().filter(({ host }) => host === '93.184.216.34');
    expect(own.map(({ port }) => port).sort()).toEqual([1_098, 1_099]);
    book.merge(
      Array.from({ length: 200 }, (_, index) => peer('8.8.8.8', NOW - 50, index + 1)),
      SOURCE,
      BigInt(NOW),
      NOW,
    );
    // Reported addresses evict no entry: the first two remain.
    expect(
      book
        .grayEntries()
        .map(({ port }) => port)
        .sort(),
    ).toEqual([1, 2]);
  });

  it('is its /64, and its network group has sixteen entries, in both lists', () => {
    const book = makeBook();
    for (let index = 1; index <= 50; index += 1) {
      book.addWhite(peer(`2a00:1:2:3::${index}`));
      book.addWhite(peer(`11.22.${index}.1`, NOW - 100 + index));
      book.addGray(peer(`2a00:9:2:3::${index}`));
      book.addGray(peer(`11.33.${index}.1`));
    }
    const count = (entries: PeerEntry[], start: string): number =>
      entries.filter(({ host }) => host.startsWith(start)).length;
    expect(count(book.whiteEntries(), '2a00')).toBe(2);
    expect(count(book.whiteEntries(), '11.22.')).toBe(16);
    expect(count(book.grayEntries(), '2a00')).toBe(2);
    expect(count(book.grayEntries(), '11.33.')).toBe(16);
    // The white list has reachable peers: the entry that was seen longest ago is evicted.
    expect(book.whiteEntries().some(({ host }) => host === '11.22.50.1')).toBe(true);
    expect(book.whiteEntries().some(({ host }) => host === '11.22.34.1')).toBe(false);
  });

  it('is not limited on loopback and in private networks, where many nodes share one', () => {
    const book = makeBook(true);
    for (let port = 1; port <= 40; port += 1) {
      book.addWhite(peer('127.0.0.1', NOW, port));
      book.addGray(peer('10.0.0.1', NOW, port));
    }
    expect(book.sizes).toEqual({ white: 40, gray: 40 });
  });
});
