import { WalletDb, type WalletDbOptions } from '../../../src/wallet-db/wallet-db';
import type { SignedSend } from '../../../src/transaction/model';
import type { WalletOutput } from '../../../src/ledger/model';
import { NotifiedStage } from '../../../src/wallet-db/records';

export const HASH = 'ab'.repeat(32);
export const OTHER_HASH = 'cd'.repeat(32);
export const VIEW_KEY = '17'.repeat(32);
export const OTHER_VIEW_KEY = '18'.repeat(32);
export const ADDRESS = 'WrkzRingAddressOfATest';
export const AMOUNT = 123_456_789_123n;

export function openDb(walletFile: string, options: Partial<WalletDbOptions> = {}): WalletDb {
  return WalletDb.open({ walletFile, privateViewKey: VIEW_KEY, expected: undefined, now: 1, ...options });
}

export const output: WalletOutput = {
  keyImage: '01'.repeat(32),
  amount: AMOUNT,
  blockHeight: 5,
  transactionPublicKey: '02'.repeat(32),
  outputIndex: 1,
  globalIndex: 7,
  key: '03'.repeat(32),
  spendHeight: 9,
  unlockTime: 0n,
  parentTransactionHash: OTHER_HASH,
  privateEphemeral: '04'.repeat(32),
  spendingTransactionHash: HASH,
};

export function signedSend(hash: string): SignedSend {
  return {
    bytes: Buffer.from('the bytes of a transaction'),
    hash,
    fee: 50_000n,
    mixin: 1,
    defaultMixin: 1,
    pending: {
      hash,
      inputs: [{ output, publicSpendKey: '05'.repeat(32) }],
      ownOutputs: [{ publicSpendKey: '05'.repeat(32), amount: AMOUNT, key: '06'.repeat(32) }],
      fee: 50_000n,
      paymentId: '',
      unlockTime: 0n,
      transactionSecretKey: '07'.repeat(32),
      transfers: [{ publicSpendKey: '05'.repeat(32), amount: -AMOUNT }],
    },
    rings: [],
  };
}

/** A ring: members with a global index and a key. */
export const ring = [
  { index: 7, key: '0a'.repeat(32) },
  { index: 70_000, key: '0b'.repeat(32) },
];

/** For each table: writes one row, and reads all rows. */
export const TABLES: Readonly<
  Record<string, { readonly write: (db: WalletDb) => unknown; readonly read: (db: WalletDb) => unknown }>
> = {
  identity: { write: () => undefined, read: (db) => db.identity },
  sends: {
    write: (db) => db.sends.put({ hash: HASH, state: 'pending', created: 1, signed: signedSend(HASH) }),
    read: (db) => db.sends.all(),
  },
  settled_sends: {
    write: (db) => db.sends.put({ hash: OTHER_HASH, state: 'settled', created: 1, height: 4 }),
    read: (db) => db.sends.all(),
  },
  requests: {
    write: (db) => db.requests.begin({ owner: 'shop', key: 'k' }, 'body', 1),
    read: (db) => db.requests.dropOld({ before: 0, newest: 0 }, () => false),
  },
  rings: {
    write: (db) => db.rings.put(HASH, { members: ring, refusals: 0, isReplaced: false }),
    read: (db) => [...db.rings.rows()],
  },
  prepared: {
    write: (db) => db.prepared.put(HASH, { hash: HASH, signed: signedSend(HASH), creator: 'shop', created: 1 }),
    read: (db) => [...db.prepared.rows()],
  },
  delayed: {
    write: (db) => db.delayed.add({ hash: HASH, created: 1, signed: signedSend(HASH) }),
    read: (db) => db.delayed.inState('delayed'),
  },
  log: {
    write: (db) => db.log.append({ applied: HASH, amount: AMOUNT } as never),
    read: (db) => [...db.log.after(db.log.floor)],
  },
  progress: { write: (db) => db.log.putProgress({ height: 5 } as never), read: (db) => db.log.progress() },
  spending: {
    write: (db) => db.spending.reserve('shop', 3, AMOUNT, AMOUNT),
    read: (db) => db.spending.dropBefore(0),
  },
  settings: { write: (db) => db.settings.put('pause', { reason: 'why' }), read: (db) => [...db.settings.rows()] },
  retired: {
    write: (db) => db.retired.put(output.key, { output, publicSpendKey: '05'.repeat(32) }),
    read: (db) => db.retired.from(0),
  },
  details: {
    write: (db) => db.details.put(HASH, { extra: Buffer.from('0102', 'hex'), inputs: AMOUNT, outputs: AMOUNT }),
    read: (db) => [...db.details.rows()],
  },
  events: {
    write: (db) => db.events.append({ kind: 'sent', transaction: HASH, subWallet: ADDRESS, amount: AMOUNT, time: 1 }),
    read: (db) => db.events.after(0, 10),
  },
  notified: {
    write: (db) => db.notified.advance([HASH], NotifiedStage.seen),
    read: (db) => [...db.notified.rows()],
  },
  labels: {
    write: (db) => db.labels.put(ADDRESS, { subject: ADDRESS, text: 'rent' }),
    read: (db) => [...db.labels.rows()],
  },
};

/** Creates a database with one row in each table. */
export function fillDb(walletFile: string): void {
  const db = openDb(walletFile);
  for (const { write } of Object.values(TABLES)) write(db);
  db.close();
}
