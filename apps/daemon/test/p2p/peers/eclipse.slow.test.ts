import type { PeerEntry } from '@wrkz/levin';
import { createHash } from 'node:crypto';
import { SteppedClock } from '@wrkz/testing';
import { p2pDefaults } from '../defaults';
import { addressKey, type PeerAddress } from '../../../src/p2p/addresses';
import { Dialer } from '../../../src/p2p/dialer/dialer';
import { Seeds } from '../../../src/p2p/dialer/peer-sources';
import { Bans } from '../../../src/p2p/limits/bans';
import { AddressBook } from '../../../src/p2p/peers/address-book';
import type { P2pRandom } from '../../../src/p2p/ports';
import { TestLogger } from '../fakes';

const MINUTE = 60;

/** Reproducible random bytes. */
function seeded(seed: number): P2pRandom {
  let count = 0;
  return {
    bytes(length) {
      count += 1;
      const block = createHash('sha256').update(`${seed} ${count}`).digest();
      return Buffer.concat([block, block], 64).subarray(0, length);
    },
  };
}

const peer = (host: string): PeerEntry => ({ host, port: 17855, id: 1n, lastSeen: 1 });
/** 100 honest nodes and 30 attacking ones, each in its own group. */
const honest = Array.from({ length: 100 }, (_, index) => peer(`${11 + (index % 50)}.${Math.floor(index / 50)}.0.1`));
const attackers = Array.from({ length: 30 }, (_, index) => peer(`${70 + index}.7.7.7`));
const isAttacker = ({ host }: PeerAddress): boolean => host.endsWith('.7.7.7');
const alive = new Set([...honest, ...attackers].map(addressKey));

/** The address book and dialer of a node, in a network where invented addresses do not respond. */
class SimulatedNode {
  private readonly clock = new SteppedClock();
  private readonly random: P2pRandom;
  readonly book: AddressBook;
  readonly open: PeerAddress[] = [];
  private readonly dialer: Dialer;
  private minute = 0;

  constructor(seed: number, previous?: SimulatedNode) {
    this.random = seeded(seed);
    this.book = new AddressBook({ allowLocal: false, key: this.random.bytes(32) });
    const seconds = (): number => Math.floor(this.clock.now() / 1_000);
    const seeds = new Seeds({ ...p2pDefaults, resolve: () => Promise.resolve([]), now: () => this.clock.now() });
    this.dialer = new Dialer(p2pDefaults, {
      book: this.book,
      bans: new Bans(seconds),
      seeds,
      clock: this.clock,
      random: this.random,
      logger: new TestLogger(),
      call: (address, purpose) => {
        if (!alive.has(addressKey(address))) return Promise.resolve(false);
        if (purpose === 'session') this.open.push(address);
        this.book.addWhite({ ...address, id: 1n, lastSeen: seconds() });
        return Promise.resolve(true);
      },
      outgoing: () => this.open,
      connectionCount: () => this.open.length,
      isTipStale: () => false,
    });
    if (previous === undefined) return;
    const { book } = previous;
    this.book.restore({ white: book.whiteEntries(), gray: book.grayEntries(), bucketKey: book.bucketKey });
    this.dialer.useAnchors(previous.open.slice(0, 4));
  }

  /** Minutes of an attack: each attacker connects, responds to the back ping and reports 250 addresses of 200 groups. */
  async run(minutes: number): Promise<void> {
    for (const end = this.minute + minutes; this.minute < end; this.minute += 1) {
      for (const [index, attacker] of attackers.entries()) {
        this.book.addWhite({ ...attacker, lastSeen: Math.floor(this.clock.now() / 1_000) });
        this.book.merge(invented(this.minute * 30 + index), attacker.host, 1_000_000n, 1_000_000);
      }
      for (const { host, port } of this.open) {
        if (this.minute > 0) this.book.addWhite({ host, port, id: 1n, lastSeen: this.minute, isProven: true });
        if (!isAttacker({ host, port })) this.book.merge(honest, host, 1_000_000n, 1_000_000);
      }
      for (let second = 0; second < MINUTE; second += 1) {
        this.clock.advance(1_000);
        this.dialer.tick();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  get honestPeers(): number {
    return this.open.filter((address) => !isAttacker(address)).length;
  }
}

function invented(round: number): PeerEntry[] {
  return Array.from({ length: 250 }, (_, index) => {
    const group = index % 200;
    return peer(`${150 + (group % 20)}.${Math.floor(group / 20)}.${round % 256}.${1 + ((round >> 8) % 250)}`);
  });
}

describe('30 attacking peers that report addresses of 200 invented groups', () => {
  it.each([1, 2, 3])('leave 11 of 15 outgoing peers honest over three restarts (seed %i)', async (seed) => {
    let node = new SimulatedNode(seed);
    for (const entry of honest.slice(0, 60)) node.book.merge([entry], entry.host, 1_000n, 1_000);
    const counts: string[] = [];
    for (let start = 0; start < 4; start += 1) {
      if (start > 0) node = new SimulatedNode(seed * 10 + start, node);
      await node.run(10);
      counts.push(`${node.honestPeers} of ${node.open.length}`);
      expect(node.open).toHaveLength(15);
      expect([counts, node.honestPeers >= 11]).toEqual([counts, true]);
    }
  });
});
