import { NodeFailure, type NodeList, type SyncBlock } from '@wrkz/client';
import { parseTransaction } from '@wrkz/core-types';
import { Ledger } from '../../src/ledger/ledger';
import type { WalletOutput } from '../../src/ledger/model';
import { type NewEvent, PendingSends } from '../../src/send/pending-sends';
import { SendPause } from '../../src/send/pause';
import { TransactionSender } from '../../src/send/sender';
import { buildSend } from '../../src/transaction/build-send';
import type { SignedSend } from '../../src/transaction/model';
import { heldBy } from '../../src/wallet/wallet';
import { openDb } from '../wallet-db/support/filled';
import { emptyContent } from '../ledger/support/contents';
import { fresh, removeFolders } from '../support/folder';
import { aliceWith, bob, devnet, FakeNode, NOW, portsOf } from '../transaction/support';

/* Own sends between their submission and their 60th confirmation: with a failing disk, and after a long absence. */

const HEIGHT = 720;
const context = aliceWith([50_000n, 50_000n, 50_000n]);
const hashAt = (height: number): string => height.toString(16).padStart(64, '0');
let signed: SignedSend;

beforeAll(async () => {
  signed = await buildSend({ destinations: [{ address: bob.address, amount: 20_000n }] }, context, portsOf());
});
afterEach(removeFolders);

/** The parts of a wallet that concern sends, with a database whose writes can fail. */
function parts() {
  const db = openDb(fresh('a.wallet'));
  const content = emptyContent(context.subWallets, {
    progress: { height: HEIGHT, recentHashes: [hashAt(HEIGHT)], checkpointHashes: [] },
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

/** The sender of these parts at a node. */
function senderOf({ db, ledger, commit, event, pending }: ReturnType<typeof parts>, node: NodeList) {
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
  });
  return { sender, pause };
}

/** A block with this transaction of the wallet. */
function blockWith({ hash, bytes }: Pick<SignedSend, 'hash' | 'bytes'>, height: number): SyncBlock {
  const { transaction } = parseTransaction(bytes);
  const inputs = transaction.inputs.flatMap((input) =>
    input.type === 'key' ? [{ keyImage: input.keyImage.toString('hex'), amount: input.amount }] : [],
  );
  const outputs = transaction.outputs.map(({ amount, key }) => ({ amount, key: key.toString('hex') }));
  const told = { hash, transactionPublicKey: hashAt(1), unlockTime: 0n, paymentId: '', inputs, outputs };
  return { height, hash: hashAt(height), timestamp: NOW, coinbase: undefined, transactions: [told] };
}

describe('an input that was spent elsewhere long ago, so that its output was retired', () => {
  const LATER = HEIGHT + 10_000;

  test.each(['refused', 'givenUp'] as const)('ends the contest of a %s send', (state) => {
    const { db, ledger, commit, pending } = parts();
    commit(() => db.sends.put({ hash: signed.hash, state, created: 1, signed }));
    pending.load();
    ledger.apply(blockWith({ ...signed, hash: hashAt(2) }, HEIGHT + 1), [], new Map());
    ledger.markTip(LATER, hashAt(LATER));
    commit(() => undefined);
    expect(ledger.findOutput(signed.pending.inputs[0]?.output.key ?? '')).toBeUndefined();
    expect(pending.contested()).toMatchObject([{ isReplaced: true }]);
    pending.onTip(LATER);
    expect(pending.contested()).toEqual([]);
    db.close();
  });
});

test('a full disk while its block is applied does not let a mined send be given up', () => {
  const { db, ledger, commit, pending, disk, events } = parts();
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
  const transactions = ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map());
  disk.isFull = true;
  expect(() => pending.onApplied(transactions)).toThrow('full');
  disk.isFull = false;
  for (const height of [HEIGHT + 1, HEIGHT + 200, HEIGHT + 300]) {
    ledger.markTip(height, hashAt(height));
    pending.onTip(height);
  }
  expect(events.map(({ kind }) => kind)).not.toContain('send-given-up');
  expect(db.sends.get(signed.hash)).toMatchObject({ state: 'settled' });
  db.close();
});

test('a full disk during a rewind does not settle a send that is in no block', () => {
  const { db, ledger, commit, pending, disk } = parts();
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
  pending.onApplied(ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map()));
  expect(pending.get(signed.hash)).toMatchObject({ state: 'confirmed' });
  ledger.rewind(HEIGHT + 1);
  disk.isFull = true;
  expect(() => pending.onRewound(HEIGHT + 1)).toThrow('full');
  disk.isFull = false;
  ledger.markTip(HEIGHT + 100, hashAt(HEIGHT + 100));
  pending.onTip(HEIGHT + 100);
  expect(pending.get(signed.hash)).toMatchObject({ state: 'pending' });
  db.close();
});

test('a send that a reset finds in no block any more is pending again', () => {
  const { db, ledger, commit, pending } = parts();
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
  pending.onApplied(ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map()));
  ledger.reset(0);
  // The chain has changed meanwhile: it still pays the inputs, and the send is not in it.
  signed.pending.inputs.forEach(({ output, publicSpendKey }, i) => {
    const { key, amount, keyImage, outputIndex, parentTransactionHash, transactionPublicKey } = output;
    const outputs = Array.from({ length: outputIndex + 1 }, (_, at) => ({
      key: at === outputIndex ? key : hashAt(at),
      amount,
    }));
    const facts = { hash: parentTransactionHash, transactionPublicKey, unlockTime: 0n, paymentId: '' };
    const block = {
      ...{ height: i + 1, hash: hashAt(i + 1), timestamp: NOW, coinbase: undefined },
      transactions: [{ ...facts, inputs: [], outputs }],
    };
    const found = { transaction: 1, output: outputIndex, publicSpendKey, keyImage };
    ledger.apply(block, [{ ...found, privateEphemeral: undefined, globalIndex: 1 }], new Map());
  });
  ledger.markTip(HEIGHT + 100, hashAt(HEIGHT + 100));
  pending.onTip(HEIGHT + 100);
  expect(pending.get(signed.hash)).toMatchObject({ state: 'pending' });
  db.close();
});

test('a settled send that a deep reorganisation returned is settled again when its block is back', () => {
  const { db, ledger, commit, pending, events } = parts();
  const block = blockWith(signed, HEIGHT + 1);
  const toTip = (height: number): void => {
    ledger.markTip(height, hashAt(height));
    pending.onTip(height);
  };
  pending.load();
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
  pending.onApplied(ledger.apply(block, [], new Map()));
  toTip(HEIGHT + 100);
  const settled = pending.get(signed.hash);
  expect(settled).toMatchObject({ state: 'settled', summary: { hash: signed.hash } });
  // A node serves another chain, and does not know the transaction.
  ledger.rewind(HEIGHT + 1);
  pending.onRewound(HEIGHT + 1);
  pending.noteForeign(pending.foreign());
  toTip(HEIGHT + 2);
  toTip(HEIGHT + 62);
  expect(pending.get(signed.hash)).toMatchObject({ state: 'givenUp', summary: settled?.summary });
  ledger.rewind(HEIGHT + 1);
  pending.onApplied(ledger.apply(block, [], new Map()));
  expect(db.sends.get(signed.hash)).toEqual(settled);
  expect(events.at(-1)).toMatchObject({ kind: 'contested-send-mined', transaction: signed.hash });
  db.close();
});

test('a send that is given up for another one names the transaction that spent its input', () => {
  const { db, ledger, commit, pending } = parts();
  commit(() => pending.refuse(signed, 'no room'));
  const hash = hashAt(0xef);
  ledger.apply(blockWith({ ...signed, hash }, HEIGHT + 1), [], new Map());
  ledger.markTip(HEIGHT + 61, hashAt(HEIGHT + 61));
  pending.onTip(HEIGHT + 61);
  expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp', replacedBy: hash });
  db.close();
});

test('a refused send in a block that no node has proved is not reported as sent', async () => {
  const made = parts();
  const { db, ledger, commit, pending } = made;
  commit(() => {
    pending.refuse(signed, 'no room');
    db.prepared.put(signed.hash, { hash: signed.hash, signed, creator: '', created: 1 });
  });
  ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map(), false);
  const { sender } = senderOf(made, {} as NodeList);
  await expect(sender.resubmit(signed.hash)).rejects.toMatchObject({ code: 1003 });
  await expect(sender.sendPrepared(signed.hash)).rejects.toMatchObject({ code: 55 });
  expect(db.prepared.get(signed.hash)).toBeDefined();
  db.close();
});

test.each([
  'Transaction has input with invalid global index',
  'Transaction has input with invalid signature',
  'Transaction uses locked input',
])('a ring that was refused three times with "%s" is replaced', async (reason) => {
  const made = parts();
  const { parentTransactionHash: parent, outputIndex, globalIndex } = signed.pending.inputs[0]?.output as WalletOutput;
  const indexes = signed.pending.inputs.map(({ output }): [string, (number | undefined)[]] => {
    const list: (number | undefined)[] = [];
    list[output.outputIndex] = output.globalIndex;
    return [output.parentTransactionHash, list];
  });
  expect(new Map(indexes).get(parent)?.[outputIndex]).toBe(globalIndex);
  const node = {
    others: [],
    serving: { globalIndexes: () => Promise.resolve(new Map(indexes)) },
    sendTransaction: () => Promise.resolve({ isTaken: false, reason }),
    transactionPlaces: () => Promise.resolve({ inBlock: [], inPool: [], unknown: [signed.hash] }),
  } as unknown as NodeList;
  const { sender } = senderOf(made, node);
  for (let i = 0; i < 3; i++) {
    expect(made.pending.hasReplacedRing(signed)).toBe(false);
    await expect(sender.sendSigned(signed)).rejects.toMatchObject({ code: 31 });
  }
  expect(made.pending.hasReplacedRing(signed)).toBe(true);
  made.db.close();
});

describe('a send whose address was removed', () => {
  const owner = context.subWallets[0]?.publicSpendKey ?? '';
  const HEIGHTS = [HEIGHT + 2, HEIGHT + 200, HEIGHT + 300];

  test('stays confirmed after a restart, and settles', () => {
    const { db, ledger, commit, pending } = parts();
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    pending.onApplied(ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map()));
    ledger.removeSubWallet(owner);
    pending.load();
    for (const height of HEIGHTS) {
      ledger.markTip(height, hashAt(height));
      pending.onTip(height);
    }
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'settled' });
    db.close();
  });

  test('is not given up as refused by the rules, since it may be in a block', () => {
    const { db, ledger, commit, pending } = parts();
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    ledger.removeSubWallet(owner);
    for (const height of HEIGHTS) {
      ledger.markTip(height, hashAt(height));
      pending.onTip(height);
    }
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'pending' });
    db.close();
  });
});

test.each(['send', 'sweep'] as const)(
  'a %s that is being built when sends are paused is not submitted',
  async (kind) => {
    const made = parts();
    const fake = new FakeNode();
    const submitted: Buffer[] = [];
    const node = {
      randomOuts: async (amounts: readonly bigint[], count: number) => {
        pause.set('operator', 'a test');
        const drawn = await fake.randomOuts(amounts, count);
        return drawn.kind === 'outs' ? drawn.sets.map(({ amount, outputs }) => ({ amount, outs: outputs })) : [];
      },
      sendTransaction: (bytes: Buffer) => (submitted.push(bytes), Promise.resolve({ isTaken: true })),
    } as unknown as NodeList;
    const { sender, pause } = senderOf(made, node);
    const { address } = bob;
    if (kind === 'sweep') {
      const { entries } = await sender.sweep({ destination: address });
      expect(entries).toMatchObject([{ success: false, errorCode: 1008 }]);
    } else {
      await expect(sender.send({ destinations: [{ address, amount: 1n }] })).rejects.toMatchObject({ code: 1008 });
    }
    expect(submitted).toEqual([]);
    made.db.close();
  },
);

describe('a refused send whose inputs are held', () => {
  test('because a pool has it stays contested: a new payment beside it would be a second one', () => {
    const { db, ledger, commit, pending } = parts();
    commit(() => pending.refuse(signed, 'no room'));
    ledger.hold(heldBy(signed));
    expect(pending.contested()).toMatchObject([{ hash: signed.hash, isReplaced: false }]);
    db.close();
  });

  test.each([
    ['delayed', 0],
    ['deleted', 1],
  ] as const)('because it is a delayed one is contested only once it is deleted: %s', (state, count) => {
    const { db, ledger, commit, pending } = parts();
    commit(() => pending.refuse(signed, 'no room'));
    db.delayed.add({ hash: signed.hash, created: 1, signed });
    db.delayed.move(signed.hash, 'delayed', state);
    ledger.hold(heldBy(signed));
    expect(pending.contested()).toHaveLength(count);
    db.close();
  });
});

describe('a pending send whose input got another global index', () => {
  /** The index that the nodes of the list report now. */
  const reindexed = (): [string, number[]][] =>
    signed.pending.inputs.map(({ output }) => {
      const list = Array.from({ length: output.outputIndex + 1 }, () => 0);
      list[output.outputIndex] = (output.globalIndex ?? 0) + 1;
      return [output.parentTransactionHash, list];
    });

  test('by a deep reorganisation is given up after 60 blocks: its ring is invalid for good', () => {
    const { db, ledger, commit, pending } = parts();
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    ledger.setGlobalIndexes(new Map(reindexed()), true);
    for (const height of [HEIGHT + 1, HEIGHT + 61]) {
      ledger.markTip(height, hashAt(height));
      pending.onTip(height);
    }
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp' });
    db.close();
  });

  test('since a node had lied about it is noticed when another node refuses it', async () => {
    const made = parts();
    const { db, ledger, commit, event, pending } = made;
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    const client = { globalIndexes: () => Promise.resolve(new Map(reindexed())) };
    const reason = 'Transaction has input with invalid signature';
    const node = {
      others: [client],
      serving: client,
      broadcast: () => Promise.resolve([{ isTaken: true }, { isTaken: false, reason }]),
    } as unknown as NodeList;
    await senderOf({ ...made, event }, node).sender.resubmitPending();
    expect(pending.ruleAgainst(signed, HEIGHT)).toBeDefined();
    db.close();
  });
});

test('the lowest input of a refused send is known until it is mined', () => {
  const { db, ledger, commit, pending } = parts();
  expect(pending.lowestContestedInput()).toBe(Infinity);
  const lowest = Math.min(...signed.pending.inputs.map(({ output }) => output.blockHeight));
  commit(() => pending.refuse(signed, 'no room'));
  expect(pending.lowestContestedInput()).toBe(lowest);
  pending.onApplied(ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map()));
  expect(pending.get(signed.hash)).toMatchObject({ state: 'confirmed' });
  expect(pending.lowestContestedInput()).toBe(Infinity);
  db.close();
});

describe('a pending send that is submitted again', () => {
  const SECOND: [string, () => Promise<unknown>][] = [
    ['refused', () => Promise.resolve({ isTaken: false, reason: 'no room' })],
    ['sent to no node', () => Promise.reject(new NodeFailure('unreachable', 'is away', { isUnsent: true }))],
  ];

  test.each(SECOND)('and is %s then is reported as uncertain: it may still be mined', async (_name, submit) => {
    const made = parts();
    const { db, commit, pending } = made;
    commit(() => db.prepared.put(signed.hash, { hash: signed.hash, signed, creator: '', created: 1 }));
    const broken = (): Promise<never> => Promise.reject(new NodeFailure('unreachable', 'broke off'));
    const node = { sendTransaction: broken, transactionPlaces: broken } as unknown as Record<string, unknown>;
    const { sender } = senderOf(made, node as unknown as NodeList);
    await expect(sender.sendPrepared(signed.hash)).rejects.toMatchObject({ code: 55 });
    node['sendTransaction'] = submit;
    node['transactionPlaces'] = () => Promise.resolve({ inBlock: [], inPool: [], unknown: [signed.hash] });
    await expect(sender.sendPrepared(signed.hash)).rejects.toMatchObject({ code: 55 });
    expect(pending.pending().map(({ hash }) => hash)).toEqual([signed.hash]);
    db.close();
  });
});

describe('a full disk after a submission', () => {
  const FAILURES: [string, () => Promise<unknown>][] = [
    ['was refused', () => Promise.resolve({ isTaken: false, reason: 'no room' })],
    ['reached no node', () => Promise.reject(new NodeFailure('unreachable', 'is away', { isUnsent: true }))],
  ];

  test.each(FAILURES)('that %s: the send stays, and the error says that it may be paid', async (_name, submit) => {
    const made = parts();
    const { db, ledger, pending, disk } = made;
    const node = {
      sendTransaction: () => ((disk.isFull = true), submit()),
      transactionPlaces: () => Promise.resolve({ inBlock: [], inPool: [], unknown: [signed.hash] }),
    } as unknown as NodeList;
    const { sender } = senderOf(made, node);
    const uncertain: string[] = [];
    const observer = { uncertain: ({ hash }: SignedSend) => void uncertain.push(hash) };
    const sent = sender.sendSigned(signed, observer);
    await expect(sent).rejects.toMatchObject({ code: 55 });
    disk.isFull = false;
    expect(pending.pending().map(({ hash }) => hash)).toEqual([signed.hash]);
    expect(ledger.hasSend(signed.hash)).toBe(true);
    expect(uncertain).toEqual([signed.hash]);
    db.close();
  });
});
