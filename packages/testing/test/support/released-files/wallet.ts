import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { NodeList } from '@wrkz/client';
import { chainIdentity, networkOf, parseTransaction, toHex } from '@wrkz/core-types';
import {
  DEFAULT_POW_SERVER,
  NotifiedStage,
  PowClient,
  scanFrom,
  type SendRequest,
  type SignedSend,
  utcDayOf,
  Wallet,
  WalletFile,
  walletFromKeys,
  type WalletDb,
} from '@wrkz/wallet-core';
import { chainAWallet, TestWallet } from '../../../src';
import { NETWORK } from './chain';
import { RELEASE_TIME_MS } from './work-folder';

/** All releases use this name, password and request: never change them. */
const FILE = 'released.wallet';
const PASSWORD = 'password of the released wallet';
const REQUEST = { owner: 'default', key: 'order 1' };
const KEYS = 'alice';
/** A closed port, so that the wallet stays offline. */
const NO_NODE = 1;
const RECEIVER = new TestWallet('receiver of the released wallet').address;

const request = (amount: bigint): SendRequest => ({ destinations: [{ address: RECEIVER, amount }], mixin: 1 });

function optionsOf(folder: string, port: number) {
  const network = networkOf(NETWORK);
  const nodes = new NodeList([{ host: '127.0.0.1', port, ssl: false }], { chain: chainIdentity(NETWORK) });
  const dependencies = {
    network,
    pow: new PowClient(DEFAULT_POW_SERVER, { threads: 1 }),
    now: () => RELEASE_TIME_MS,
    warn: (): void => undefined,
  };
  return [dependencies, { file: join(folder, FILE), password: PASSWORD, nodes }] as const;
}

async function untilAtTip(wallet: Wallet): Promise<void> {
  while (!wallet.syncStatus.isAtTip) await once(wallet, 'changed');
}

/** A synchronized wallet with a second address, a pending send, and rows in the tables that services fill. */
export async function writeWallet(folder: string, nodePort: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { spendSecret, viewSecret } = chainAWallet(KEYS);
  const content = () => walletFromKeys(toHex(viewSecret), toHex(spendSecret), scanFrom(0));
  const wallet = await Wallet.create(...optionsOf(folder, nodePort), content);
  await untilAtTip(wallet);
  await wallet.createSubWallet();
  await untilAtTip(wallet);
  const { db } = wallet;
  db.requests.begin(REQUEST, '{}', RELEASE_TIME_MS);
  const sent = await wallet.send(request(1_000n), { submitting: ({ hash }) => db.requests.link(REQUEST, hash) });
  db.requests.complete(REQUEST, { status: 201, body: JSON.stringify({ transactionHash: sent.hash }) });
  await wallet.prepare(request(2_000n), REQUEST.owner);
  await wallet.delay(request(3_000n), (signed) => {
    db.delayed.add({ hash: signed.hash, created: RELEASE_TIME_MS, signed });
  });
  db.labels.put(RECEIVER, { subject: RECEIVER, text: 'a receiver' });
  db.spending.reserve(REQUEST.owner, utcDayOf(RELEASE_TIME_MS), 1_000n, 10_000n, sent.hash);
  db.notified.advance([sent.hash], NotifiedStage.seen);
  const { extra } = parseTransaction(sent.bytes).transaction;
  db.details.put(sent.hash, { extra, inputs: 1_100n, outputs: 1_000n, mixin: sent.mixin });
  await wallet.close();
}

/** Decrypts the container without its database. */
async function readContainer(folder: string): Promise<object> {
  const { walletFile, content } = await WalletFile.open(join(folder, FILE), PASSWORD);
  await walletFile.close();
  return {
    height: content.progress.height,
    privateViewKey: content.privateViewKey,
    addresses: content.subWallets.map(({ address, privateSpendKey }) => ({ address, privateSpendKey })),
    transactions: content.transactions.length,
    unconfirmed: content.unconfirmed.map(({ hash }) => hash),
    transactionKeys: content.transactionKeys,
    outputs: content.subWallets.map(({ unspent, locked, spent }) => ({
      unspent: unspent.length,
      locked: locked.length,
      spent: spent.length,
    })),
  };
}

/** The state of a request with the names that the manifest of version 1.0.0 uses. */
function inManifest(status: ReturnType<WalletDb['requests']['begin']>): object {
  if (status.kind !== 'completed') return status;
  return { kind: 'answered', answer: status.response, sends: status.sends };
}

/** Container and wallet database. A wallet has no mode for reading: the open begins a session of the database. */
export async function readWallet(folder: string): Promise<object> {
  const container = await readContainer(folder);
  const wallet = await Wallet.open(...optionsOf(folder, NO_NODE));
  try {
    const { db, snapshot, pause, containerChange } = wallet;
    const send = ({ hash, bytes, fee }: SignedSend): object => {
      return { hash, fee, isOwnHash: toHex(parseTransaction(bytes).hash) === hash };
    };
    const sends = db.sends.all();
    return {
      container,
      balance: snapshot.balance(),
      containerChange: containerChange ?? null,
      pause: pause.current ?? null,
      loss: db.identity.loss ?? null,
      damage: db.damage ?? null,
      sends: sends.map(({ hash, state, created, signed }) => ({
        hash,
        state,
        created,
        signed: signed && send(signed),
      })),
      transactionKeys: sends.map(({ hash }) => snapshot.transactionKey(hash)),
      rings: [...db.rings.rows()].map(({ members }) => members),
      prepared: [...db.prepared.rows()].map(({ signed, creator }) => ({ creator, ...send(signed) })),
      delayed: db.delayed.inState('delayed').map(({ signed, created }) => ({ created, ...send(signed) })),
      request: inManifest(db.requests.begin(REQUEST, '{}', RELEASE_TIME_MS)),
      labels: [...db.labels.rows()],
      spent: db.spending.spent(REQUEST.owner, utcDayOf(RELEASE_TIME_MS)),
      notified: sends.map(({ hash }) => db.notified.stage(hash)),
      details: sends.map(({ hash }) => {
        const details = db.details.get(hash);
        return details && { ...details, extra: toHex(details.extra) };
      }),
      events: db.events.after(0, 1_000),
    };
  } finally {
    await wallet.close();
  }
}

/** Synchronizes the wallet with a node, sends and saves. @returns the hash of the send */
export async function sendFromWallet(folder: string, nodePort: number): Promise<string> {
  const wallet = await Wallet.open(...optionsOf(folder, nodePort));
  try {
    await untilAtTip(wallet);
    const { hash } = await wallet.send(request(4_000n));
    await wallet.save();
    return hash;
  } finally {
    await wallet.close();
  }
}
