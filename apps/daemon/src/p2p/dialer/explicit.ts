import { addressKey, type PeerAddress } from '../util/address';

const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 60_000;

interface Attempt {
  readonly address: PeerAddress;
  next: number;
  wait: number;
}

/** Peers that the operator named: called again and again, soon at first, then once a minute. */
export class ExplicitPeers {
  private readonly attempts: Attempt[];

  constructor(addresses: readonly PeerAddress[]) {
    const unique = new Map(addresses.map((address) => [addressKey(address), address]));
    this.attempts = [...unique.values()].map((address) => ({ address, next: 0, wait: FIRST_WAIT }));
  }

  get isEmpty(): boolean {
    return this.attempts.length === 0;
  }

  has(address: PeerAddress): boolean {
    return this.attempts.some((attempt) => addressKey(attempt.address) === addressKey(address));
  }

  /** Whom to call now; each is not due again before its wait is over. */
  due(now: number, isBusy: (address: PeerAddress) => boolean): PeerAddress[] {
    const due = this.attempts.filter((attempt) => attempt.next <= now && !isBusy(attempt.address));
    for (const attempt of due) {
      attempt.next = now + attempt.wait;
      attempt.wait = Math.min(LONGEST_WAIT, attempt.wait * 2);
    }
    return due.map((attempt) => attempt.address);
  }

  /** It answered: if it is lost later, it is called soon again. */
  reached(address: PeerAddress, now: number): void {
    this.wait(address, now, FIRST_WAIT);
  }

  /** It was of no use: it is not called again before a minute is over. */
  avoid(address: PeerAddress, now: number): void {
    this.wait(address, now, LONGEST_WAIT);
  }

  private wait(address: PeerAddress, now: number, milliseconds: number): void {
    for (const attempt of this.attempts) {
      if (addressKey(attempt.address) !== addressKey(address)) continue;
      attempt.wait = FIRST_WAIT;
      attempt.next = now + milliseconds;
    }
  }
}
