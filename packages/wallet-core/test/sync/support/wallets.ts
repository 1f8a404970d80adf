import { once } from 'node:events';
import { chainIdentity, networkOf } from '@wrkz/core-types';
import { secretKeyToPublicKey } from '@wrkz/crypto';
import { readJson } from '@wrkz/testing';
import { type NodeCalls, NodeClient } from '@wrkz/client';
import { Synchronizer, type SynchronizerOptions } from '../../../src';
import type { LedgerKeys as ScanKeys, SyncLedger } from '../../../src/ledger/ledger';
import { FakeLedger, type FakeTransaction } from './fake-ledger';
import { TestClock } from './test-clock';

export const GENESIS = networkOf('devnet').genesis.hash.toString('hex');

interface ExpectedTransaction {
  readonly hash: string;
  readonly blockHeight: number;
  readonly paymentID: string;
  readonly transfers: readonly { readonly amount: number }[];
}

interface ExpectedWallet {
  readonly keys?: {
    readonly privateViewKey: string;
    readonly addresses: readonly { readonly privateSpendKey: string }[];
  };
  readonly of?: string;
  readonly report: {
    readonly balance: { readonly locked: number; readonly unlocked: number };
    readonly transactions: readonly ExpectedTransaction[];
  };
}

const { wallets } = readJson<{ wallets: Record<string, ExpectedWallet> }>('devnet/chain-a-expected.json');

export function expectedOf(name: string): { total: bigint; transactions: unknown[] } {
  const report = wallets[name]?.report;
  if (report === undefined) throw new RangeError(`no wallet ${name}`);
  return {
    total: BigInt(report.balance.locked) + BigInt(report.balance.unlocked),
    transactions: report.transactions
      .map(({ hash, blockHeight, paymentID, transfers }) => ({
        height: blockHeight,
        hash,
        amount: transfers.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
        paymentId: paymentID,
      }))
      .sort(byHash),
  };
}

const byHash = (a: { hash: string }, b: { hash: string }): number => (a.hash < b.hash ? -1 : 1);

export const contentOf = (ledger: FakeLedger): { total: bigint; transactions: FakeTransaction[] } => ({
  total: ledger.total,
  transactions: [...ledger.transactions].sort(byHash),
});

export function keysOf(name: string, isView = false): ScanKeys {
  const keys = wallets[wallets[name]?.of ?? name]?.keys;
  if (keys === undefined) throw new RangeError(`no keys of ${name}`);
  return {
    privateViewKey: keys.privateViewKey,
    spendKeys: keys.addresses.map(({ privateSpendKey }) => ({
      publicSpendKey: secretKeyToPublicKey(Buffer.from(privateSpendKey, 'hex')).toString('hex'),
      privateSpendKey: isView ? undefined : privateSpendKey,
    })),
  };
}

/** A wallet under test, with a simulated clock. */
export class SyncedWallet<L extends SyncLedger = FakeLedger> {
  readonly clock = new TestClock();
  readonly sync: Synchronizer;
  readonly warnings: string[] = [];
  readonly unreadable: number[] = [];

  constructor(
    readonly ledger: L,
    node: NodeCalls,
    options: Partial<SynchronizerOptions> = {},
  ) {
    this.sync = new Synchronizer(this.clock.watching(node), ledger, {
      network: networkOf('devnet'),
      clock: this.clock,
      ...options,
    });
    this.sync.on('warning', (text) => this.warnings.push(text));
    this.sync.on('unreadable', ({ height }) => this.unreadable.push(height));
  }

  /** Resolves when the wallet is at the tip of its node. */
  untilSynced(): Promise<void> {
    return this.until(() => this.sync.status.isAtTip);
  }

  /** Resolves when the condition is true. It is checked after each event; the clock runs during the wait. */
  async until(holds: () => boolean): Promise<void> {
    this.sync.start();
    this.clock.go();
    try {
      while (!holds()) {
        const over = new AbortController();
        const happened = EVENTS.map((event) => once(this.sync, event, { signal: over.signal }));
        await Promise.race(happened);
        over.abort();
        await Promise.allSettled(happened);
      }
    } finally {
      this.clock.stop();
    }
  }
}

const EVENTS = [
  'disagreement',
  'progressed',
  'synced',
  'indexed',
  'connected',
  'warning',
  'rewound',
  'unreadable',
  'verified',
] as const;

export function nodeAt(port: number): NodeClient {
  return new NodeClient({ host: '127.0.0.1', port, ssl: false }, { chain: chainIdentity('devnet') });
}
