import { type NodeList, type SyncBlock } from '@wrkz/client';
import { parseTransaction } from '@wrkz/core-types';
import { Ledger } from '../../../src/ledger/ledger';
import type { WalletContent } from '../../../src/ledger/model';
import { type NewEvent, PendingSends } from '../../../src/send/pending-sends';
import { SendPause } from '../../../src/send/pause';
import { type SenderDependencies, TransactionSender } from '../../../src/send/sender';
import type { SignedSend } from '../../../src/transaction/model';
import { openDb } from '../../wallet-db/support/filled';
import { emptyContent } from '../../ledger/support/contents';
import { fresh } from '../../support/folder';
import { aliceWith, devnet, NOW, portsOf } from '../../transaction/support';

export const HEIGHT = 720;
export const context = aliceWith([50_000n, 50_000n, 50_000n]);
export const hashAt = (height: number): string => height.toString(16).padStart(64, '0');

export type Parts = ReturnType<typeof parts>;

/** The parts of a wallet that concern sends, with a database whose writes can fail. */
export function parts(more: Partial<WalletContent> = {}) {
  const db = openDb(fresh('a.wallet'));
  const content = emptyContent(context.subWallets, {
    progress: { height: HEIGHT, recentHashes: [hashAt(HEIGHT)], checkpointHashes: [] },
    ...more,
  });
  const ledger = new Ledger(content, (height) => db.retired.from(height));
  const events: NewEvent[] = [];
  const disk = { isFull: false };
  const commit = (work: () => void): void => {
    const taken = ledger.takeChanges();
    try {
      db.transaction(() => {
        for (const retired of taken.retired) db.retired.put(retired.output.key, retired);
        work();
        if (disk.isFull) throw new Error('the disk is full');
      });
    } catch (error) {
      ledger.putBack(taken);
      pending.restore();
      throw error;
    }
  };
  const event = (one: NewEvent): void => void events.push(one);
  const pending = new PendingSends({ network: devnet, ledger, db: () => db, commit, event, now: () => NOW * 1000 });
  return { db, ledger, events, disk, commit, event, pending };
}

/** A sender with these parts and a node. */
export function senderOf(
  { db, ledger, commit, event, pending }: Parts,
  node: NodeList,
  more: Partial<SenderDependencies> = {},
) {
  const pause = new SendPause(
    () => db,
    commit,
    () => NOW,
    () => undefined,
  );
  const sender = new TransactionSender({
    ...{ network: devnet, ledger, pending, commit, event, pause },
    db: () => db,
    nodes: () => node,
    pow: portsOf().pow,
    context: () => ({ ...context, contested: pending.contested(), subWallets: ledger.content().subWallets }),
    changed: () => undefined,
    onRingFallback: () => undefined,
    now: () => NOW * 1000,
    signal: new AbortController().signal,
    submissionSignal: new AbortController().signal,
    ...more,
  });
  return { sender, pause };
}

/** A block with this transaction of the wallet. */
export function blockWith({ hash, bytes }: Pick<SignedSend, 'hash' | 'bytes'>, height: number): SyncBlock {
  const { transaction } = parseTransaction(bytes);
  const inputs = transaction.inputs.flatMap((input) =>
    input.type === 'key' ? [{ keyImage: input.keyImage.toString('hex'), amount: input.amount }] : [],
  );
  const outputs = transaction.outputs.map(({ amount, key }) => ({ amount, key: key.toString('hex') }));
  const reported = { hash, transactionPublicKey: hashAt(1), unlockTime: 0n, paymentId: '', inputs, outputs };
  return { height, hash: hashAt(height), timestamp: NOW, coinbase: undefined, transactions: [reported] };
}
