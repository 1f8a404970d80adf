import { NodeFailure, type NodeList } from '@wrkz/client';
import { REASONS, transactionNonceMeets, transactionPowDifficulty } from '@wrkz/consensus';
import { parseTransaction, POW_NONCE_SIZE } from '@wrkz/core-types';
import type { Ledger } from '../../src/ledger/ledger';
import type { WalletOutput } from '../../src/ledger/model';
import { unlocked } from '../../src/transaction/coin-selection';
import { buildSend } from '../../src/transaction/build-send';
import type { SignedSend } from '../../src/transaction/model';
import { heldBy } from '../../src/wallet/wallet';
import { removeFolders } from '../support/folder';
import { bob, devnet, FakeNode, NOW, portsOf } from '../transaction/support';
import { blockWith, context, hashAt, HEIGHT, parts, type Parts, senderOf } from './support/parts';

/* Own sends between their submission and their 60th confirmation, also with a failing disk and after a long offline period. */

let signed: SignedSend;
const NO_OUTPUT = { key: '', amount: 0n, publicSpendKey: '' };
const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : 1);

beforeAll(async () => {
  signed = await buildSend({ destinations: [{ address: bob.address, amount: 20_000n }] }, context, portsOf());
});
afterEach(removeFolders);

describe('an input that another transaction spent long ago, so that its output was retired', () => {
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

test('a full disk during a rewind does not settle an unconfirmed send', () => {
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

/** Applies the blocks that pay the inputs of the send. */
function applyInputs(ledger: Ledger): void {
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
}

test('a send that a rescan after a reset does not find in a block is pending again', () => {
  const { db, ledger, commit, pending } = parts();
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
  pending.onApplied(ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map()));
  ledger.reset(0);
  // The chain has changed: it still pays the inputs, but does not contain the send.
  applyInputs(ledger);
  ledger.markTip(HEIGHT + 100, hashAt(HEIGHT + 100));
  pending.onTip(HEIGHT + 100);
  expect(pending.get(signed.hash)).toMatchObject({ state: 'pending' });
  db.close();
});

test('a restart during a rescan does not unlock the inputs of a pending send', () => {
  const before = parts();
  before.ledger.recordSend(signed.pending);
  before.ledger.rewind(1);
  // The container was written before the blocks of the inputs are applied again.
  const { db, ledger, commit, pending } = parts(before.ledger.storedContent());
  commit(() => db.sends.put({ hash: signed.hash, state: 'pending', created: 1, signed }));
  pending.load();
  applyInputs(ledger);
  const keys = signed.pending.inputs.map(({ output }) => output.key);
  expect(keys.map((key) => ledger.findOutput(key)?.list)).toEqual(keys.map(() => 'locked'));
  before.db.close();
  db.close();
});

type Paid = Pick<typeof NO_OUTPUT, 'key' | 'publicSpendKey'> & Partial<Pick<WalletOutput, 'keyImage' | 'globalIndex'>>;

/** Applies a block that pays the key of an own output with this amount. */
function payAgain(
  ledger: Ledger,
  { key, publicSpendKey, keyImage = hashAt(7), globalIndex = 1 }: Paid,
  amount: bigint,
): void {
  const facts = { hash: hashAt(Number(amount)), transactionPublicKey: hashAt(1), unlockTime: 0n, paymentId: '' };
  const transaction = { ...facts, inputs: [], outputs: [{ key, amount }] };
  const block = { height: HEIGHT + 1, hash: hashAt(HEIGHT + 1), timestamp: NOW, coinbase: undefined };
  const found = { transaction: 1, output: 0, publicSpendKey, keyImage, privateEphemeral: undefined };
  ledger.apply({ ...block, transactions: [transaction] }, [{ ...found, globalIndex }], new Map());
}

test.each(['the reorganisation', 'a restart'])(
  'change is expected again after a larger copy of it vanished, by %s',
  (how) => {
    const before = parts();
    before.ledger.recordSend(signed.pending);
    before.commit(() => before.pending.add(signed));
    const expected = before.ledger.content().subWallets.map(({ unconfirmedIncoming }) => unconfirmedIncoming);
    const [change = NO_OUTPUT] = signed.pending.ownOutputs;
    payAgain(before.ledger, change, change.amount + 1n);
    before.ledger.rewind(HEIGHT + 1);
    let after = before;
    if (how === 'a restart') {
      after = parts(before.ledger.storedContent());
      after.commit(() => after.db.sends.put({ hash: signed.hash, state: 'pending', created: 1, signed }));
      after.pending.load();
    } else before.pending.onRewound(HEIGHT + 1);
    const lists = after.ledger.content().subWallets.map(({ unconfirmedIncoming }) => unconfirmedIncoming);
    expect(lists.map((list) => list.toSorted(byKey))).toEqual(expected.map((list) => list.toSorted(byKey)));
    // A small copy must not be spent, because that would spend the change too.
    payAgain(after.ledger, change, 1n);
    const spendable = [...unlocked(after.ledger.content().subWallets, HEIGHT + 99, NOW)];
    expect(spendable.map(({ output }) => output.key)).not.toContain(change.key);
    for (const { db } of new Set([before, after])) db.close();
  },
);

test('change is expected again after the send of its removed larger copy was given up', () => {
  const { db, ledger, commit, pending } = parts();
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
  const expected = ledger.content().subWallets.map(({ unconfirmedIncoming }) => unconfirmedIncoming);
  const [change = NO_OUTPUT] = signed.pending.ownOutputs;
  payAgain(ledger, change, change.amount + 1n);
  const { publicSpendKey } = change;
  const output = ledger.findOutput(change.key)?.output as WalletOutput;
  const hash = hashAt(8);
  const spend = { ...signed.pending, hash, inputs: [{ output, publicSpendKey }], ownOutputs: [] };
  ledger.recordSend(spend);
  commit(() => pending.add({ ...signed, hash, pending: spend, rings: [] }));
  ledger.rewind(HEIGHT + 1);
  pending.onRewound(HEIGHT + 1);
  expect(pending.giveUp(hash, 'a test')).toBe(true);
  const lists = ledger.content().subWallets.map(({ unconfirmedIncoming }) => unconfirmedIncoming);
  expect(lists.map((list) => list.toSorted(byKey))).toEqual(expected.map((list) => list.toSorted(byKey)));
  db.close();
});

test('a send of a larger copy that vanished is given up, also if the smaller one has the same global index', async () => {
  const { db, ledger, commit, pending } = parts();
  const destinations = [{ address: bob.address, amount: 20_000n }];
  // The rules do not refuse it for its unlock time.
  const timed = await buildSend({ destinations, unlockTime: BigInt(NOW + 86_400) }, context, portsOf());
  const [{ output, publicSpendKey }] = timed.pending.inputs as [(typeof timed.pending.inputs)[number]];
  const { key, keyImage, globalIndex } = output;
  ledger.recordSend(timed.pending);
  commit(() => pending.add(timed));
  ledger.rewind(output.blockHeight);
  pending.onRewound(output.blockHeight);
  payAgain(ledger, { key, publicSpendKey, keyImage, globalIndex }, 1n);
  expect(ledger.findOutput(key)?.list).toBe('locked');
  for (const height of [HEIGHT + 1, HEIGHT + 61]) pending.onTip(height);
  expect(db.sends.get(timed.hash)).toMatchObject({ state: 'givenUp' });
  expect(ledger.findOutput(key)).toMatchObject({ list: 'unspent', output: { amount: 1n } });
  db.close();
});

test('the ring of an output is not used for a larger one with its key', () => {
  const { db, ledger, commit, pending } = parts();
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
  const [{ keyImage, members } = { keyImage: '', members: [] }] = signed.rings;
  const amount = signed.pending.inputs[0]?.output.amount ?? 0n;
  for (let refusals = 0; refusals < 3; refusals++) {
    expect(pending.ringOf(keyImage, amount)).toEqual(members);
    expect(pending.ringOf(keyImage, amount + 1n)).toBeUndefined();
    commit(() => pending.countRingRefusal(signed));
  }
  expect(pending.ringOf(keyImage, amount)).toBeUndefined();
  db.close();
});

test('a settled send that a deep reorganisation returned is settled again when its block is applied again', () => {
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

test('a send that is given up because of another one reports the transaction that spent its input', () => {
  const { db, ledger, commit, pending } = parts();
  commit(() => pending.refuse(signed, 'no room'));
  const hash = hashAt(0xef);
  ledger.apply(blockWith({ ...signed, hash }, HEIGHT + 1), [], new Map());
  ledger.markTip(HEIGHT + 61, hashAt(HEIGHT + 61));
  pending.onTip(HEIGHT + 61);
  expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp', replacedBy: hash });
  db.close();
});

test('a refused send in an unverified block is not reported as sent', async () => {
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
    sendTransaction: () => Promise.resolve({ isAccepted: false, reason }),
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

  test('stays confirmed after a restart, and becomes final', () => {
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
      sendTransaction: (bytes: Buffer) => (submitted.push(bytes), Promise.resolve({ isAccepted: true })),
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
  test('because a pool has it stays contested: another payment could be mined too', () => {
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

  test('because it is a delayed one is contested in a program that does not hold the inputs of delayed ones', () => {
    const { db, commit, pending } = parts();
    commit(() => pending.refuse(signed, 'no room'));
    db.delayed.add({ hash: signed.hash, created: 1, signed });
    expect(pending.contested()).toMatchObject([{ hash: signed.hash, isReplaced: false }]);
    db.close();
  });
});

/** The global indexes of the inputs, as nodes report them. */
const indexesOf = (shift: number): Map<string, number[]> =>
  new Map(
    signed.pending.inputs.map(({ output }) => {
      const list = Array.from({ length: output.outputIndex + 1 }, () => 0);
      list[output.outputIndex] = (output.globalIndex ?? 0) + shift;
      return [output.parentTransactionHash, list];
    }),
  );

describe('a pending send whose input got another global index', () => {
  const reindexed = (): Map<string, number[]> => indexesOf(1);

  test('by a deep reorganisation is given up after 60 blocks: its ring is permanently invalid', () => {
    const { db, ledger, commit, pending } = parts();
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    ledger.setGlobalIndexes(reindexed(), true);
    for (const height of [HEIGHT + 1, HEIGHT + 61]) {
      ledger.markTip(height, hashAt(height));
      pending.onTip(height);
    }
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp' });
    db.close();
  });

  test('because a node had reported a wrong one is detected when another node refuses it', async () => {
    const made = parts();
    const { db, ledger, commit, event, pending } = made;
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    const client = { globalIndexes: () => Promise.resolve(reindexed()) };
    const reason = 'Transaction has input with invalid signature';
    const node = {
      others: [client],
      serving: client,
      broadcast: () => Promise.resolve([{ isAccepted: true }, { isAccepted: false, reason }]),
    } as unknown as NodeList;
    await senderOf({ ...made, event }, node).sender.resubmitPending();
    expect(pending.ruleAgainst(signed, HEIGHT)).toBeDefined();
    db.close();
  });
});

test('the lowest input of a refused send is known until it is mined', () => {
  const { db, ledger, commit, pending } = parts();
  const { subWallets } = ledger.content();
  expect(pending.minContestedHeight(subWallets)).toBe(Infinity);
  const lowest = Math.min(...signed.pending.inputs.map(({ output }) => output.blockHeight));
  commit(() => pending.refuse(signed, 'no room'));
  expect(pending.minContestedHeight(subWallets)).toBe(lowest);
  expect(pending.minContestedHeight([])).toBe(Infinity);
  pending.onApplied(ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map()));
  expect(pending.get(signed.hash)).toMatchObject({ state: 'confirmed' });
  expect(pending.minContestedHeight(subWallets)).toBe(Infinity);
  db.close();
});

describe('a pending send that is submitted again', () => {
  const SECOND: [string, () => Promise<unknown>][] = [
    ['refused', () => Promise.resolve({ isAccepted: false, reason: 'no room' })],
    ['sent to no node', () => Promise.reject(new NodeFailure('unreachable', 'is away', { isUnsent: true }))],
  ];

  test.each(SECOND)('and is then %s is reported as uncertain, because it may still be mined', async (_name, submit) => {
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
    ['was refused', () => Promise.resolve({ isAccepted: false, reason: 'no room' })],
    ['reached no node', () => Promise.reject(new NodeFailure('unreachable', 'is away', { isUnsent: true }))],
  ];

  test.each(FAILURES)('that %s: the send remains, and the error reports that it may be paid', async (_name, submit) => {
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

describe('recording', () => {
  const NOW_MS = NOW * 1000;
  const summaryOf = ({ hash, fee, mixin, defaultMixin }: SignedSend) => ({ hash, fee, mixin, defaultMixin });
  const amountOf = ({ pending }: SignedSend): bigint => pending.inputs[0]?.output.amount ?? 0n;
  const imageOf = ({ rings }: SignedSend): string => rings[0]?.keyImage ?? '';
  const membersOf = ({ rings }: SignedSend) => rings[0]?.members ?? [];

  test.each(['pending', 'refused'] as const)('a %s send has its summary and the time of its first record', (state) => {
    const { db, commit, pending, events } = parts();
    const record = (): void =>
      commit(() => (state === 'pending' ? pending.add(signed) : pending.refuse(signed, 'no room')));
    record();
    const stored = { hash: signed.hash, state, created: NOW_MS, signed, summary: summaryOf(signed) };
    const expected = state === 'pending' ? stored : { ...stored, reason: 'no room' };
    expect(db.sends.all()).toEqual([expected]);
    const refusal = { kind: 'send-refused', transaction: signed.hash, payload: { reason: 'no room' } };
    expect(events).toEqual(state === 'pending' ? [] : [refusal]);
    commit(() => db.sends.put({ ...expected, created: 5 }));
    pending.restore();
    record();
    expect(db.sends.all()).toEqual([{ ...expected, created: 5 }]);
    db.close();
  });

  test.each([
    ['a new ring', undefined, 0],
    ['a ring that was refused twice', { refusals: 2, isReplaced: false }, 2],
    ['the ring after a replaced one', { refusals: 3, isReplaced: true }, 0],
  ])('%s retains the number of its refusals', (_what, before, refusals) => {
    const { db, commit, pending } = parts();
    const members = membersOf(signed);
    if (before !== undefined) db.rings.put(imageOf(signed), { members, ...before });
    expect(pending.ringOf(imageOf(signed), amountOf(signed))).toEqual(
      before?.isReplaced === false ? members : undefined,
    );
    commit(() => pending.add(signed));
    const amount = amountOf(signed);
    expect(db.rings.get(imageOf(signed))).toEqual({ members, amount, refusals, isReplaced: false });
    expect(pending.ringOf(imageOf(signed), amountOf(signed))).toEqual(members);
    db.close();
  });

  test('a ring that was refused three times is reported once, and one replaced ring of several is enough', () => {
    const { db, commit, pending, events } = parts();
    const two = { ...signed, rings: [...signed.rings, { keyImage: '01'.repeat(32), members: membersOf(signed) }] };
    for (let i = 0; i < 4; i++) commit(() => pending.countRingRefusal(signed));
    const payload = { keyImage: imageOf(signed) };
    expect(events).toEqual([{ kind: 'ring-replaced', transaction: signed.hash, payload }]);
    expect(pending.ringOf(imageOf(signed), amountOf(signed))).toBeUndefined();
    expect(pending.hasReplacedRing(two)).toBe(true);
    db.close();
  });

  test('is reverted for a submission that reached no node: the stored data is restored', () => {
    const { db, commit, pending } = parts();
    commit(() => pending.add(signed));
    const before = pending.get(signed.hash);
    commit(() => pending.undoAdd(signed.hash, undefined));
    expect([pending.get(signed.hash), pending.pending()]).toEqual([undefined, []]);
    commit(() => pending.undoAdd(signed.hash, before));
    expect([pending.get(signed.hash), pending.pending()]).toEqual([before, [before]]);
    db.close();
  });
});

describe('stored sends', () => {
  const put = (
    { db, pending }: Parts,
    state: 'pending' | 'refused' | 'givenUp' | 'confirmed',
    more: object = {},
  ): void => {
    db.sends.put({ hash: signed.hash, state, created: 1, signed, ...more });
    pending.restore();
  };

  test.each([
    ['pending', true],
    ['refused', false],
  ] as const)('that are %s are in the ledger after a restart: %s', (state, isListed) => {
    const made = parts();
    put(made, state);
    expect(made.ledger.hasSend(signed.hash)).toBe(isListed);
    expect(made.pending.pending()).toHaveLength(isListed ? 1 : 0);
    expect(made.pending.contested()).toHaveLength(isListed ? 0 : 1);
    made.db.close();
  });

  test.each([
    ['givenUp', { signed: undefined }, 0],
    ['confirmed', { height: HEIGHT }, 0],
    ['givenUp', {}, 1],
  ] as const)('that are %s with %p are contested: %s', (state, more, count) => {
    const made = parts();
    put(made, state, more);
    expect(made.pending.contested()).toHaveLength(count);
    made.db.close();
  });

  test('a delayed transaction that is being submitted is not contested', () => {
    const made = parts();
    made.db.delayed.add({ hash: signed.hash, created: 1, signed });
    made.db.delayed.move(signed.hash, 'delayed', 'sending');
    made.ledger.hold(heldBy(signed));
    put(made, 'refused');
    expect(made.pending.contested()).toEqual([]);
    made.db.close();
  });

  test('a contested send is replaced as soon as one of its inputs is spent', () => {
    const made = parts();
    const [input, other] = context.subWallets[0]?.unspent.map((output) => ({ output, publicSpendKey: '' })) ?? [];
    const ofThis = signed.pending.inputs[0]?.output.key;
    const free = [input, other].find((one) => one?.output.key !== ofThis);
    const two = { ...signed, pending: { ...signed.pending, inputs: [...signed.pending.inputs, free!] } };
    put(made, 'refused', { signed: two });
    expect(made.pending.contested()).toMatchObject([{ isReplaced: false }]);
    expect(made.pending.isReplaced(signed.hash)).toBe(false);
    made.ledger.apply(blockWith({ ...signed, hash: hashAt(2) }, HEIGHT + 1), [], new Map());
    expect(made.pending.contested()).toMatchObject([{ isReplaced: true }]);
    expect(made.pending.isReplaced(signed.hash)).toBe(true);
    made.db.close();
  });

  test('the inputs of pending sends that the ledger does not list are reserved', () => {
    const made = parts();
    const { db, ledger, pending } = made;
    db.sends.put({ hash: hashAt(3), state: 'pending', created: 1 });
    put(made, 'pending');
    expect(pending.reservedInputs()).toEqual(new Map());
    ledger.reset(0);
    expect(pending.reservedInputs()).toEqual(
      new Map(signed.pending.inputs.map(({ output }) => [output.key, signed.hash])),
    );
    db.close();
  });

  test('the inputs of a pending send without its bytes are unlocked at the tip', () => {
    const made = parts();
    made.ledger.recordSend(signed.pending);
    put(made, 'pending', { signed: undefined });
    made.pending.onTip(HEIGHT);
    expect(made.ledger.hasSend(signed.hash)).toBe(false);
    made.db.close();
  });

  test.each([
    ['pending', true],
    ['refused', true],
    ['confirmed', false],
  ] as const)('a %s send is given up by the operator: %s', (state, isGivenUp) => {
    const made = parts();
    const { db, ledger, pending, events } = made;
    put(made, state, { height: HEIGHT });
    expect(pending.giveUp(signed.hash, 'a reason')).toBe(isGivenUp);
    expect(pending.giveUp(hashAt(9), 'unknown')).toBe(false);
    expect(ledger.hasSend(signed.hash)).toBe(false);
    expect(db.sends.get(signed.hash)?.state).toBe(isGivenUp ? 'givenUp' : state);
    const event = { kind: 'send-given-up', transaction: signed.hash, payload: { reason: 'a reason' } };
    expect(events).toEqual(isGivenUp ? [event] : []);
    expect(pending.contested()).toHaveLength(isGivenUp ? 1 : 0);
    db.close();
  });

  test('a rewind makes confirmed sends of its blocks pending, and no others', () => {
    const made = parts();
    const { db, pending } = made;
    put(made, 'confirmed', { height: HEIGHT });
    db.sends.put({ hash: hashAt(3), state: 'refused', created: 1, signed });
    pending.restore();
    pending.onRewound(HEIGHT + 1);
    expect(db.sends.get(signed.hash)?.state).toBe('confirmed');
    pending.onRewound(HEIGHT);
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'pending', signed: { hash: signed.hash } });
    expect(db.sends.get(signed.hash)?.height).toBeUndefined();
    pending.onRewound(0);
    expect(db.sends.get(hashAt(3))?.state).toBe('refused');
    db.close();
  });
});

describe('sends of another wallet program', () => {
  const REASON = 'another wallet program sent it, and the node did not have it for 60 blocks';
  const foreign = (): Parts => {
    const made = parts();
    made.ledger.recordSend(signed.pending);
    return made;
  };

  test('are listed once the stored sends could be read', () => {
    const { db, commit, pending } = foreign();
    expect(pending.foreign()).toEqual([]);
    expect(pending.giveUp(signed.hash, 'a reason')).toBe(false);
    pending.load();
    expect(pending.foreign()).toEqual([signed.hash]);
    commit(() => pending.add(signed));
    expect(pending.foreign()).toEqual([]);
    db.close();
  });

  test('are given up when the node has not had them for 60 consecutive blocks', () => {
    const { db, ledger, pending, events } = foreign();
    pending.load();
    pending.onTip(HEIGHT);
    pending.onTip(HEIGHT + 100);
    pending.noteForeign([signed.hash]);
    pending.onTip(HEIGHT + 101);
    pending.noteForeign([]);
    pending.onTip(HEIGHT + 161);
    pending.noteForeign([signed.hash]);
    pending.onTip(HEIGHT + 170);
    pending.noteForeign([signed.hash]);
    pending.onTip(HEIGHT + 229);
    expect(ledger.hasSend(signed.hash)).toBe(true);
    pending.onTip(HEIGHT + 230);
    expect(ledger.hasSend(signed.hash)).toBe(false);
    expect(events).toEqual([{ kind: 'send-given-up', transaction: signed.hash, payload: { reason: REASON } }]);
    const stored = { hash: signed.hash, state: 'givenUp', created: NOW * 1000, reason: REASON };
    expect(db.sends.all()).toEqual([stored]);
    expect(pending.contested()).toEqual([]);
    db.close();
  });

  test('are given up by the operator', () => {
    const { db, ledger, pending } = foreign();
    pending.load();
    expect(pending.giveUp(signed.hash, 'a reason')).toBe(true);
    expect(ledger.hasSend(signed.hash)).toBe(false);
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp', reason: 'a reason' });
    db.close();
  });
});

describe('at the tip', () => {
  const weakNonce = (): Buffer => {
    const { transaction, prefixBytes } = parseTransaction(signed.bytes);
    const difficulty = transactionPowDifficulty(transaction, devnet, HEIGHT);
    const nonces = Array.from({ length: 100 }, (_, i) => Buffer.alloc(POW_NONCE_SIZE, i));
    return nonces.find((nonce) => !transactionNonceMeets(prefixBytes, nonce, difficulty)) ?? Buffer.alloc(0);
  };

  const RULE = 'Transaction has a too small unlock time';
  const pendingParts = (): Parts => {
    const made = parts();
    made.ledger.recordSend(signed.pending);
    made.commit(() => made.pending.add(signed));
    return made;
  };
  const rival = { hash: hashAt(0xef) };

  test('a send settles with 60 blocks above its own', () => {
    const { db, ledger, pending, events } = pendingParts();
    pending.onApplied(ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map()));
    const confirmed = { kind: 'send-confirmed', transaction: signed.hash, payload: { height: HEIGHT + 1 } };
    expect(events).toEqual([confirmed]);
    pending.onTip(HEIGHT + 60);
    expect(db.sends.get(signed.hash)?.state).toBe('confirmed');
    expect([...db.rings.rows()]).toHaveLength(1);
    pending.onTip(HEIGHT + 61);
    expect(db.sends.get(signed.hash)).toEqual({
      ...{ hash: signed.hash, state: 'settled', created: NOW * 1000, height: HEIGHT + 1 },
      summary: expect.objectContaining({ hash: signed.hash }),
    });
    expect([...db.rings.rows()]).toEqual([]);
    expect(events).toEqual([confirmed, { kind: 'send-settled', transaction: signed.hash }]);
    db.close();
  });

  test('a confirmed send without its bytes settles', () => {
    const { db, pending } = parts();
    db.sends.put({ hash: signed.hash, state: 'confirmed', created: 1, height: HEIGHT - 60 });
    pending.load();
    pending.onTip(HEIGHT);
    expect(db.sends.get(signed.hash)?.state).toBe('settled');
    db.close();
  });

  test.each(['pending', 'refused'] as const)(
    'a %s send is given up with 60 blocks above a conflicting transaction',
    (state) => {
      const { db, ledger, commit, pending, events } = pendingParts();
      if (state === 'refused') {
        ledger.forgetSend(signed.hash);
        commit(() => pending.refuse(signed, 'no room'));
      }
      events.length = 0;
      ledger.apply(blockWith({ ...signed, ...rival }, HEIGHT - 10), [], new Map());
      pending.onTip(HEIGHT + 49);
      expect(db.sends.get(signed.hash)?.state).toBe(state);
      pending.onTip(HEIGHT + 50);
      const reason = `an input was spent by transaction ${rival.hash}`;
      expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp', reason, replacedBy: rival.hash });
      expect(db.sends.get(signed.hash)?.signed).toBeUndefined();
      expect(events).toEqual([{ kind: 'send-given-up', transaction: signed.hash, payload: { reason } }]);
      expect(pending.contested()).toEqual([]);
      db.close();
    },
  );

  test('the contest of a send that the operator gave up ends without another event', () => {
    const { db, ledger, pending, events } = pendingParts();
    pending.giveUp(signed.hash, 'a reason');
    expect(events).toHaveLength(1);
    ledger.apply(blockWith({ ...signed, ...rival }, HEIGHT - 10), [], new Map());
    pending.onTip(HEIGHT + 50);
    const expected = { state: 'givenUp', reason: 'a reason', replacedBy: rival.hash };
    expect(db.sends.get(signed.hash)).toMatchObject(expected);
    expect(db.sends.get(signed.hash)?.signed).toBeUndefined();
    expect([events.length, pending.contested()]).toEqual([1, []]);
    db.close();
  });

  test('a conflicting transaction that the file does not name is of another wallet program', () => {
    const spent = signed.pending.inputs.map(({ output }) => ({ ...output, spendHeight: HEIGHT - 100 }));
    const subWallets = context.subWallets.map((one) => ({ ...one, unspent: [], spent }));
    const { db, commit, pending } = parts({ subWallets });
    commit(() => pending.refuse(signed, 'no room'));
    pending.onTip(HEIGHT);
    expect(db.sends.get(signed.hash)?.replacedBy).toBe('of another wallet program');
    db.close();
  });

  test('a conflicting transaction in an unverified block does not give up a send', () => {
    const { db, ledger, pending } = pendingParts();
    ledger.apply(blockWith({ ...signed, ...rival }, HEIGHT - 10), [], new Map(), false);
    pending.onTip(HEIGHT + 50);
    expect(db.sends.get(signed.hash)?.state).toBe('pending');
    db.close();
  });

  test('a send that the rules refuse for 60 blocks is given up, and stays contested', () => {
    const { db, pending, events } = pendingParts();
    expect(pending.ruleAgainst(signed, HEIGHT + 60)).toBe(RULE);
    const { position } = db.mark;
    pending.onTip(HEIGHT + 20);
    // An unchanged state is not written.
    expect(db.mark.position).toBe(position);
    pending.onTip(HEIGHT + 60);
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'pending', refusedSince: HEIGHT + 60, reason: RULE });
    // The tip is on another branch, at which it is acceptable.
    pending.onTip(HEIGHT + 20);
    expect(db.sends.get(signed.hash)?.refusedSince).toBeUndefined();
    for (const height of [70, 71, 129]) pending.onTip(HEIGHT + height);
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'pending', refusedSince: HEIGHT + 70 });
    pending.onTip(HEIGHT + 130);
    const reason = `the network's rules refuse it: ${RULE}`;
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp', reason });
    expect(events).toEqual([{ kind: 'send-given-up', transaction: signed.hash, payload: { reason } }]);
    expect(pending.contested()).toHaveLength(1);
    db.close();
  });

  test('the rules compare an unlock time in seconds with the clock', async () => {
    const destinations = [{ address: bob.address, amount: 20_000n }];
    const timed = await buildSend({ destinations, unlockTime: BigInt(NOW + 86_400) }, context, portsOf());
    const { db, pending } = parts();
    expect(pending.ruleAgainst(timed, HEIGHT)).toBeUndefined();
    db.close();
  });

  test('the rules include the proof of work, whose difficulty changes with the height', () => {
    const { db, pending } = parts();
    const bytes = Buffer.from(signed.bytes);
    weakNonce().copy(bytes, parseTransaction(bytes).prefixBytes.length - POW_NONCE_SIZE);
    expect(pending.ruleAgainst(signed, HEIGHT)).toBeUndefined();
    expect(pending.ruleAgainst({ ...signed, bytes }, HEIGHT)).toBe(REASONS.POW_INVALID.text);
    db.close();
  });

  test('the proof of work is hashed once, because every block checks all pending sends', () => {
    const { db, pending } = parts();
    const bytes = Buffer.from(signed.bytes);
    const send = { ...signed, bytes };
    expect(pending.ruleAgainst(send, HEIGHT)).toBeUndefined();
    // Bytes that a second hash would reject.
    weakNonce().copy(bytes, parseTransaction(signed.bytes).prefixBytes.length - POW_NONCE_SIZE);
    expect(pending.ruleAgainst(send, HEIGHT + 1)).toBeUndefined();
    expect(pending.ruleAgainst({ ...send }, HEIGHT + 1)).toBe(REASONS.POW_INVALID.text);
    db.close();
  });

  test('the rules are applied to a send that a reset removed from the ledger', () => {
    const { db, ledger, commit, pending } = parts();
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    ledger.reset(0);
    applyInputs(ledger);
    ledger.setGlobalIndexes(indexesOf(0), true);
    for (const height of [HEIGHT + 60, HEIGHT + 120]) {
      ledger.markTip(height, hashAt(height));
      pending.onTip(height);
    }
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'givenUp' });
    expect([...pending.reservedInputs()]).toEqual([]);
    db.close();
  });

  test('the rules are not applied to a refused send', () => {
    const { db, ledger, commit, pending } = pendingParts();
    commit(() => pending.refuse(signed, 'no room'));
    expect(ledger.hasSend(signed.hash)).toBe(true);
    for (const height of [100, 300]) pending.onTip(HEIGHT + height);
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'refused', reason: 'no room' });
    db.close();
  });
});

describe('a mined send', () => {
  const mine = ({ ledger, pending }: Parts, height: number, isVerified = true): void =>
    pending.onApplied(ledger.apply(blockWith(signed, height), [], new Map(), isVerified));

  test.each(['refused', 'givenUp'] as const)('that was %s has its key, its charge and an event', (state) => {
    const made = parts();
    const { db, ledger, pending, events } = made;
    db.spending.reserve('shop', 1, 5n, 5n);
    db.spending.refund('shop', 1, 5n, signed.hash);
    const given = { reason: 'why', replacedBy: hashAt(1), refusedSince: 3 };
    db.sends.put({ hash: signed.hash, state, created: 1, signed, ...given });
    pending.load();
    mine(made, HEIGHT + 1, false);
    expect(db.sends.get(signed.hash)?.state).toBe(state);
    pending.onApplied(ledger.markVerified(HEIGHT + 1));
    expect(db.sends.get(signed.hash)).toEqual({
      ...{ hash: signed.hash, state: 'confirmed', created: 1, signed, height: HEIGHT + 1 },
    });
    const secretKey = signed.pending.transactionSecretKey;
    expect(ledger.content().transactionKeys).toEqual([{ transactionHash: signed.hash, secretKey }]);
    expect(db.spending.spent('shop', Math.floor(NOW / 86_400))).toBe(5n);
    const payload = { height: HEIGHT + 1, reason: 'why' };
    expect(events).toEqual([{ kind: 'contested-send-mined', transaction: signed.hash, payload }]);
    db.close();
  });

  test.each(['refused', 'pending'] as const)('that was %s without its bytes is confirmed without a key', (state) => {
    const made = parts();
    made.db.sends.put({ hash: signed.hash, state, created: 1 });
    made.pending.load();
    mine(made, HEIGHT + 1);
    expect(made.db.sends.get(signed.hash)?.state).toBe('confirmed');
    expect(made.ledger.content().transactionKeys).toEqual([]);
    made.db.close();
  });

  test('is charged only once, and retains the height of its last block', () => {
    const made = parts();
    const { db, ledger, commit, pending, events, disk } = made;
    ledger.recordSend(signed.pending);
    commit(() => pending.add(signed));
    db.spending.reserve('shop', 1, 5n, 5n);
    db.spending.refund('shop', 1, 5n, signed.hash);
    mine(made, HEIGHT + 1);
    expect(events).toHaveLength(1);
    disk.isFull = true;
    // The same block causes no write.
    pending.onApplied(ledger.content().transactions);
    disk.isFull = false;
    ledger.rewind(HEIGHT + 1);
    mine(made, HEIGHT + 2);
    expect(db.sends.get(signed.hash)).toMatchObject({ state: 'confirmed', height: HEIGHT + 2 });
    expect([events.length, db.spending.spent('shop', Math.floor(NOW / 86_400))]).toEqual([1, 0n]);
    db.close();
  });

  test.each([
    ['givenUp', true, 'settled'],
    ['givenUp', false, 'givenUp'],
    ['settled', true, 'settled'],
  ] as const)('that is stored as final %s is in a block, verified: %s: %s', (state, isVerified, expected) => {
    const made = parts();
    const { db, events } = made;
    made.pending.load();
    db.sends.put({ hash: signed.hash, state, created: 1, reason: 'why' });
    mine(made, HEIGHT + 1, isVerified);
    expect(db.sends.get(signed.hash)?.state).toBe(expected);
    const payload = { height: HEIGHT + 1, reason: 'why' };
    const event = { kind: 'contested-send-mined', transaction: signed.hash, payload };
    expect(events).toEqual(state === 'givenUp' && isVerified ? [event] : []);
    db.close();
  });

  test('is pending again after a reset that finds one of its inputs unspent', () => {
    const { db, pending } = parts();
    const unknown = { output: { ...signed.pending.inputs[0]!.output, key: hashAt(3) }, publicSpendKey: '' };
    const two = { ...signed, pending: { ...signed.pending, inputs: [unknown, ...signed.pending.inputs] } };
    db.sends.put({ hash: signed.hash, state: 'confirmed', created: 1, height: HEIGHT, signed: two });
    pending.load();
    expect(db.sends.get(signed.hash)?.state).toBe('pending');
    db.close();
  });

  test('of another wallet has no effect', () => {
    const made = parts();
    made.pending.load();
    mine(made, HEIGHT + 1);
    expect([made.db.sends.all(), made.events]).toEqual([[], []]);
    made.db.close();
  });

  test.each([
    ['begins above its block', HEIGHT + 2, 'confirmed'],
    ['reads its block again', HEIGHT + 1, 'pending'],
  ])('is pending again after a reset if the new scan %s', (_what, scanHeight, state) => {
    const made = parts();
    made.db.sends.put({ hash: signed.hash, state: 'confirmed', created: 1, height: HEIGHT + 1 });
    made.ledger.reset(scanHeight);
    made.pending.load();
    expect(made.db.sends.get(signed.hash)?.state).toBe(state);
    // Its block is not read yet.
    made.ledger.markTip(HEIGHT + 1, hashAt(HEIGHT + 1));
    made.db.sends.put({ hash: signed.hash, state: 'confirmed', created: 1, height: HEIGHT + 1 });
    made.pending.load();
    expect(made.db.sends.get(signed.hash)?.state).toBe('confirmed');
    made.db.close();
  });
});
