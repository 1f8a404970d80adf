import { AddressBudgets } from '../../../src/p2p/limits/address-budget';
import { REASONS, type ReasonCode } from '@wrkz/consensus';
import { isAccepted } from '../../../src/chain/results';
import { Bans, Penalties } from '../../../src/p2p/limits/bans';
import { type CloseReason, closeReasonOfBlock, closeReasons } from '../../../src/p2p/limits/close-reasons';
import { addressKey, type PeerAddress } from '../../../src/p2p/addresses';
import { TestLogger } from '../fakes';

type Name = keyof typeof closeReasons;
const names = Object.keys(closeReasons) as Name[];
const codes = Object.keys(REASONS) as ReasonCode[];

/** The expected costs, so that each new reason and each change is decided twice. */
const expected: Readonly<Record<Name, 'none' | 'avoid' | 'ban' | number>> = {
  stopping: 'none',
  remoteClosed: 'none',
  socketError: 'none',
  banned: 'none',
  tooManyConnections: 'none',
  gaveWay: 'none',
  evicted: 'none',
  peerListTaken: 'none',
  badSignature: 34,
  frameTooLarge: 34,
  memoryBudget: 'none',
  badBody: 34,
  flood: 50,
  overwork: 34,
  refusedTransactions: 'none',
  internalError: 'none',
  handshakeTimeout: 'none',
  frameTimeout: 'none',
  writeTimeout: 'none',
  writeQueueFull: 'none',
  silence: 'none',
  uploadLimit: 'none',
  syncStalled: 'none',
  claimUnserved: 20,
  noHandshake: 10,
  secondHandshake: 10,
  wrongDirection: 10,
  handshakeRefused: 'none',
  wrongNetwork: 'none',
  oldVersion: 'none',
  ownConnection: 'none',
  futurePeerList: 'avoid',
  chainRequestEmpty: 10,
  chainRequestForeign: 10,
  chainEmpty: 34,
  chainUnknownStart: 10,
  chainHeights: 34,
  chainEndless: 34,
  objectsNotRequested: 34,
  objectsHeight: 10,
  objectsUnreadable: 34,
  objectsForeign: 34,
  objectsBody: 34,
  objectsMissing: 20,
  objectsUnlinked: 50,
  invalidBlock: 50,
  overfullBlock: 50,
  invalidTransaction: 34,
  checkpointMismatch: 'ban',
  tooEarlyBlock: 'none',
  orphans: 'avoid',
  liteBlockIncomplete: 10,
  transactionsUnavailable: 'none',
};

const UNCONFIGURED: PeerAddress = { host: '8.8.8.8', port: 17855 };
const NAMED: PeerAddress = { host: '9.9.9.9', port: 17855 };

/** Penalties with recorded effects. */
class Fixture {
  now = 1_800_000_000;
  readonly bans = new Bans(() => this.now);
  readonly avoided: string[] = [];
  readonly logger = new TestLogger();
  enforced = 0;
  readonly penalties = new Penalties({
    bans: this.bans,
    budgets: new AddressBudgets(
      () => this.now * 1000,
      () => 0,
    ),
    isNamed: (address) => addressKey(address) === addressKey(NAMED),
    avoid: (address) => this.avoided.push(addressKey(address)),
    onBanned: () => (this.enforced += 1),
    logger: this.logger,
  });

  /** Closes connections for one reason until the address is banned. @returns their number, at most 100 */
  untilBanned(remote: PeerAddress, reason: CloseReason): number | 'never' {
    for (let count = 1; count <= 100; count += 1) {
      this.penalties.punish({ remote, incoming: true }, reason);
      if (this.bans.isBanned(remote.host)) return count;
    }
    return 'never';
  }
}

describe('each reason for a disconnect', () => {
  it.each(names)('%s costs the documented points', (name) => {
    const reason = closeReasons[name];
    const cost = expected[name];
    const fixture = new Fixture();
    fixture.penalties.punish({ remote: UNCONFIGURED, incoming: false }, reason);
    expect(fixture.avoided).toEqual(cost === 'none' ? [] : ['8.8.8.8:17855']);

    const fresh = new Fixture();
    const ends = fresh.untilBanned(UNCONFIGURED, reason);
    expect(fresh.avoided).toEqual([]);
    if (cost === 'none' || cost === 'avoid') expect(ends).toBe('never');
    else expect(ends).toBe(cost === 'ban' ? 1 : Math.ceil(100 / cost));
    expect(fresh.enforced).toBe(ends === 'never' ? 0 : 1);
    expect(fresh.logger.lines).toEqual(ends === 'never' ? [] : [`info 8.8.8.8 is banned: ${reason.text}`]);
  });

  it('bans for 900 seconds, or as long as the operator requests', () => {
    const fixture = new Fixture();
    fixture.untilBanned(UNCONFIGURED, closeReasons.checkpointMismatch);
    expect(fixture.bans.list()).toEqual([{ host: '8.8.8.8', until: fixture.now + 900 }]);
    expect(fixture.penalties.ban('7.7.7.7', 60)).toBe(true);
    expect(fixture.bans.list()).toContainEqual({ host: '7.7.7.7', until: fixture.now + 60 });
    expect(fixture.enforced).toBe(2);
    expect(fixture.penalties.ban('no address')).toBe(false);
    expect(fixture.enforced).toBe(2);
  });

  it('never bans peers configured by the operator or sharing a local address, but avoids them', () => {
    for (const remote of [
      NAMED,
      { host: '127.0.0.1', port: 1 },
      { host: '192.168.0.7', port: 2 },
      { host: '::1', port: 3 },
    ]) {
      const fixture = new Fixture();
      for (const name of names) expect(fixture.untilBanned(remote, closeReasons[name])).toBe('never');
      fixture.penalties.punish({ remote, incoming: false }, closeReasons.checkpointMismatch);
      expect(fixture.avoided).toEqual([addressKey(remote)]);
    }
  });

  it('decreases the score by 100 points an hour, and adds the points of different reasons', () => {
    const fixture = new Fixture();
    const punish = (name: Name): boolean => {
      fixture.penalties.punish({ remote: UNCONFIGURED, incoming: true }, closeReasons[name]);
      return fixture.bans.isBanned(UNCONFIGURED.host);
    };
    expect([punish('invalidBlock'), punish('badBody')]).toEqual([false, false]);
    fixture.now += 3600;
    expect([punish('invalidBlock'), punish('badBody'), punish('objectsMissing')]).toEqual([false, false, true]);
  });
});

describe('each result of the chain for a block', () => {
  const stored = ['ADDED_TO_MAIN', 'ADDED_TO_ALTERNATIVE', 'ADDED_TO_ALTERNATIVE_AND_SWITCHED', 'ALREADY_EXISTS'];

  it('allows the next block to follow only after a stored block', () => {
    const accepted = codes.filter((code) => isAccepted({ code }));
    expect(accepted).toEqual(stored);
  });

  it('bans for a checkpoint mismatch, not for our clock and our branches; every other rejection counts against the sender', () => {
    expect(closeReasonOfBlock('CHECKPOINT_BLOCK_HASH_MISMATCH')).toBe(closeReasons.checkpointMismatch);
    expect(closeReasonOfBlock('TIMESTAMP_TOO_FAR_IN_FUTURE')).toBe(closeReasons.tooEarlyBlock);
    expect(closeReasonOfBlock('REJECTED_AS_ORPHANED')).toBe(closeReasons.orphans);
    const decided = [
      ...stored,
      'CHECKPOINT_BLOCK_HASH_MISMATCH',
      'TIMESTAMP_TOO_FAR_IN_FUTURE',
      'REJECTED_AS_ORPHANED',
    ];
    const others = codes.filter((code) => !decided.includes(code));
    expect(new Set(others.map(closeReasonOfBlock))).toEqual(new Set([closeReasons.invalidBlock]));
  });

  it.each(codes)('%s: bans the sender of such blocks after the documented number', (code) => {
    const reason = closeReasonOfBlock(code);
    const fixture = new Fixture();
    if (isAccepted({ code })) {
      expect(reason).toBeUndefined();
      return;
    }
    if (reason === undefined) throw new Error('a rejection without a penalty decision');
    const free = code === 'TIMESTAMP_TOO_FAR_IN_FUTURE' || code === 'REJECTED_AS_ORPHANED';
    const atOnce = code === 'CHECKPOINT_BLOCK_HASH_MISMATCH';
    expect(fixture.untilBanned(UNCONFIGURED, reason)).toBe(free ? 'never' : atOnce ? 1 : 2);
  });
});
