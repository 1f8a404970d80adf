import { NodeFailure, type NodeList } from '@wrkz/client';
import { REASONS } from '@wrkz/consensus';
import { walletError, walletErrorOf, walletErrorRows } from '../../src/errors';
import type { WalletErrorName } from '../../src/error-table';
import type { WalletOutput } from '../../src/ledger/model';
import type { SendObserver, SenderDependencies } from '../../src/send/sender';
import { buildSend } from '../../src/transaction/build-send';
import type { SignedSend } from '../../src/transaction/model';
import { UncertainCommit } from '../../src/wallet-db/sealed-database';
import { removeFolders } from '../support/folder';
import { bob, FakeNode, NOW, portsOf } from '../transaction/support';
import { blockWith, context, hashAt, HEIGHT, parts, type Parts, senderOf } from './support/parts';

const request = { destinations: [{ address: bob.address, amount: 20_000n }] };
let signed: SignedSend;

beforeAll(async () => {
  signed = await buildSend(request, context, portsOf());
});
afterEach(removeFolders);

const errorOf = (name: WalletErrorName): object => expect.objectContaining({ code: walletErrorRows[name].code });

type Answer = () => Promise<unknown>;
const ACCEPTED: Answer = () => Promise.resolve({ isAccepted: true });
const REFUSED: Answer = () => Promise.resolve({ isAccepted: false, reason: 'no room' });
const UNSENT: Answer = () => Promise.reject(new NodeFailure('unreachable', 'is away', { isUnsent: true }));
const LOST: Answer = () => Promise.reject(new NodeFailure('timeout', 'is silent', {}));
const GARBLED: Answer = () => Promise.reject(new NodeFailure('malformed', 'is garbled', { status: 200 }));

/** Own global indexes as the ledger has them. */
const indexesOf = ({ pending }: SignedSend, shift = 0): Map<string, number[]> =>
  new Map(
    pending.inputs.map(({ output }) => {
      const list: number[] = [];
      list[output.outputIndex] = (output.globalIndex ?? 0) + shift;
      return [output.parentTransactionHash, list];
    }),
  );

class TestNode {
  readonly fake = new FakeNode();
  readonly submitted: string[] = [];
  readonly broadcasts: string[] = [];
  respond = ACCEPTED;
  unknown: readonly string[] = [];
  indexes: Answer = () => Promise.resolve(indexesOf(signed));
  readonly others: { globalIndexes: Answer }[] = [];
  readonly serving = { globalIndexes: () => this.indexes() };

  sendTransaction(bytes: Buffer): Promise<unknown> {
    this.submitted.push(bytes.toString('hex'));
    return this.respond();
  }

  async randomOuts(amounts: readonly bigint[], count: number): Promise<unknown> {
    const drawn = await this.fake.randomOuts(amounts, count);
    return drawn.kind === 'outs' ? drawn.sets.map(({ amount, outputs }) => ({ amount, outs: outputs })) : [];
  }

  transactionPlaces(hashes: readonly string[]): Promise<unknown> {
    return Promise.resolve({ inBlock: [], inPool: [], unknown: hashes });
  }

  broadcast(bytes: Buffer): Promise<unknown[]> {
    this.broadcasts.push(bytes.toString('hex'));
    return Promise.resolve([]);
  }
}

function begin(more: Partial<SenderDependencies> = {}) {
  const made = parts();
  const node = new TestNode();
  const changes: string[] = [];
  const changed = (): void => void changes.push('changed');
  const { sender, pause } = senderOf(made, node as unknown as NodeList, { changed, ...more });
  const reported: string[] = [];
  const observer: SendObserver = {
    submitting: () => (expect(node.submitted).toEqual([]), reported.push('submitting')),
    rejected: () => reported.push('rejected'),
    uncertain: () => reported.push('uncertain'),
  };
  return { ...made, made, node, sender, pause, reported, observer, changes };
}

const record = ({ ledger, commit, pending }: Parts): void => {
  ledger.recordSend(signed.pending);
  commit(() => pending.add(signed));
};

/** A block that pays this key again, with an amount that is 1 larger. */
const payMore = ({ ledger }: Parts, { key, amount }: { key: string; amount: bigint }, publicSpendKey: string): void => {
  const facts = { hash: hashAt(5), transactionPublicKey: hashAt(1), unlockTime: 0n, paymentId: '' };
  const transaction = { ...facts, inputs: [], outputs: [{ key, amount: amount + 1n }] };
  const block = { height: HEIGHT + 1, hash: hashAt(HEIGHT + 1), timestamp: NOW, coinbase: undefined };
  const found = { transaction: 1, output: 0, publicSpendKey, keyImage: hashAt(6), privateEphemeral: undefined };
  ledger.apply({ ...block, transactions: [transaction] }, [{ ...found, globalIndex: 1 }], new Map());
};

test('a send is recorded with an event before it is submitted', async () => {
  const { db, node, sender, reported, observer, events, ledger, changes } = begin();
  const sent = await sender.send(request, observer);
  expect(node.submitted).toEqual([sent.bytes.toString('hex')]);
  expect([reported, changes]).toEqual([['submitting'], ['changed']]);
  const payload = { fee: sent.fee };
  expect(events).toEqual([{ kind: 'send', transaction: sent.hash, amount: -20_000n - sent.fee, payload }]);
  expect([db.sends.get(sent.hash)?.state, ledger.hasSend(sent.hash)]).toEqual(['pending', true]);
  // The second send requests no new decoys for an input that the first one has locked, and spends another one.
  expect((await sender.send(request)).pending.inputs[0]?.output.key).not.toBe(sent.pending.inputs[0]?.output.key);
  db.close();
});

test('an estimate has the fee of the send, and records nothing', async () => {
  const { db, sender, events } = begin();
  expect(await sender.estimate(request)).toMatchObject({ fee: signed.fee });
  expect((await sender.estimateSweep({ destination: bob.address })).length).toBeGreaterThan(0);
  expect([events, db.sends.all()]).toEqual([[], []]);
  db.close();
});

describe.each([true, false])('the outcome of a first submission, with an observer: %s,', (hasObserver) => {
  const OUTCOMES: [string, Answer, WalletErrorName | undefined, string[], string | undefined][] = [
    ['accepted', ACCEPTED, undefined, [], 'pending'],
    ['lost', LOST, 'daemonStillProcessing', ['uncertain'], 'pending'],
    ['not sent', UNSENT, 'daemonOffline', ['rejected'], undefined],
    ['refused', REFUSED, 'daemonError', ['rejected'], 'refused'],
    ['not understood', GARBLED, 'daemonOffline', ['rejected'], 'refused'],
  ];

  test.each(OUTCOMES)('if it is %s', async (_what, respond, error, reports, state) => {
    const { db, ledger, node, sender, reported, observer, events, changes } = begin();
    node.respond = respond;
    const sending = sender.sendSigned(signed, hasObserver ? observer : undefined);
    if (error === undefined) await sending;
    else await expect(sending).rejects.toEqual(errorOf(error));
    expect(reported).toEqual(hasObserver ? ['submitting', ...reports] : []);
    expect(db.sends.get(signed.hash)?.state).toBe(state);
    expect(ledger.hasSend(signed.hash)).toBe(state === 'pending');
    expect(changes).toHaveLength(state === 'pending' ? 1 : 2);
    const kinds = { refused: ['send-refused'], pending: [], none: ['send-unsent'] }[state ?? 'none'];
    expect(events.slice(1)).toMatchObject((kinds ?? []).map((kind) => ({ kind, transaction: signed.hash })));
    if (state === 'refused') expect(db.sends.get(signed.hash)?.reason).toBe(respond === REFUSED ? 'no room' : '');
    db.close();
  });
});

test.each([{}, { submitting: undefined, rejected: undefined, uncertain: undefined }] as SendObserver[])(
  'an observer may have no callbacks',
  async (observer) => {
    for (const isRecorded of [true, false]) {
      for (const [respond, code] of [
        [ACCEPTED, undefined],
        [UNSENT, walletErrorRows.daemonOffline.code],
        [LOST, walletErrorRows.daemonStillProcessing.code],
      ] as const) {
        const { db, made, node, sender } = begin();
        if (isRecorded) record(made);
        node.respond = respond;
        const result = await sender.sendSigned(signed, observer).catch((error: { code: number }) => error.code);
        // A pending send stays pending.
        const isUncertain = isRecorded && code !== undefined;
        expect(result).toBe(isUncertain ? walletErrorRows.daemonStillProcessing.code : code);
        db.close();
      }
    }
  },
);

test.each([undefined, {}] as (SendObserver | undefined)[])(
  'a removal that cannot be stored leaves the send pending: observer %p',
  async (observer) => {
    const { db, disk, node, sender, pending } = begin();
    node.respond = () => ((disk.isFull = true), UNSENT());
    await expect(sender.sendSigned(signed, observer)).rejects.toEqual(errorOf('daemonStillProcessing'));
    expect(pending.pending()).toHaveLength(1);
    db.close();
  },
);

test.each([
  [NOW - 100, true],
  [NOW + 10_000, false],
])('outputs that are locked until %s can be spent at the time of the wallet: %s', async (time, isFree) => {
  const unlockTime = BigInt(time);
  const subWallets = context.subWallets.map((one) => ({
    ...one,
    unspent: one.unspent.map((output) => ({ ...output, unlockTime })),
  }));
  const { db, node, sender } = begin({ context: () => ({ ...context, subWallets }) });
  const built = await sender.build(request).catch((error: unknown) => error);
  expect(built).toMatchObject(isFree ? { fee: signed.fee } : { code: walletErrorRows.notEnoughBalance.code });
  db.prepared.put(signed.hash, { hash: signed.hash, signed, creator: '', created: 1 });
  await sender.sendPrepared(signed.hash).catch(() => undefined);
  expect(node.submitted).toHaveLength(isFree ? 1 : 0);
  db.close();
});

test('change is expected again when a node refuses the send of a larger copy of it that vanished meanwhile', async () => {
  const { db, node, sender, made, ledger, pending } = begin();
  record(made);
  const expected = (): string[] =>
    ledger.content().subWallets.flatMap(({ unconfirmedIncoming }) => unconfirmedIncoming.map(({ key }) => key));
  const [change] = signed.pending.ownOutputs as [(typeof signed.pending.ownOutputs)[number]];
  const { key, publicSpendKey } = change;
  payMore(made, change, publicSpendKey);
  const output = ledger.findOutput(key)?.output as WalletOutput;
  expect(expected()).not.toContain(key);
  node.respond = () => {
    ledger.rewind(HEIGHT + 1);
    pending.onRewound(HEIGHT + 1);
    return REFUSED();
  };
  const spend = { ...signed.pending, hash: hashAt(8), inputs: [{ output, publicSpendKey }], ownOutputs: [] };
  const refused = sender.sendSigned({ ...signed, hash: spend.hash, pending: spend, rings: [] });
  await expect(refused).rejects.toEqual(errorOf('daemonError'));
  expect(expected()).toContain(key);
  db.close();
});

test('a second submission of a pending send never removes it', async () => {
  for (const respond of [REFUSED, UNSENT, LOST, ACCEPTED]) {
    const { db, made, node, sender, reported, observer } = begin();
    record(made);
    node.respond = respond;
    const result = await sender.sendSigned(signed, observer).catch((error: unknown) => error);
    expect(result === undefined).toBe(respond === ACCEPTED);
    expect(reported).toEqual(respond === LOST ? ['submitting', 'uncertain'] : ['submitting']);
    expect(db.sends.get(signed.hash)?.state).toBe('pending');
    db.close();
  }
});

describe('nothing is submitted', () => {
  test('when the wallet closes', async () => {
    const closing = new AbortController();
    const { db, node, sender } = begin({ signal: closing.signal });
    closing.abort();
    await expect(sender.sendSigned(signed)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect([node.submitted, db.sends.all()]).toEqual([[], []]);
    db.close();
  });

  test('when sends were paused during the build', async () => {
    const { db, node, sender, pause } = begin();
    const draw = node.randomOuts.bind(node);
    node.randomOuts = (...requested) => (pause.set('operator', 'a test'), draw(...requested));
    await expect(sender.send(request)).rejects.toEqual(errorOf('sendsPaused'));
    expect([node.submitted, db.sends.all()]).toEqual([[], []]);
    db.close();
  });

  test('when a block has spent an input during the build', async () => {
    const { db, ledger, node, sender } = begin();
    ledger.apply(blockWith({ ...signed, hash: hashAt(7) }, HEIGHT + 1), [], new Map());
    await expect(sender.sendSigned(signed)).rejects.toEqual(errorOf('preparedTransactionExpired'));
    expect(node.submitted).toEqual([]);
    db.close();
  });

  test('when the ledger fails for another reason, which is thrown', async () => {
    const { db, ledger, node, sender } = begin();
    jest.spyOn(ledger, 'recordSend').mockImplementation(() => {
      throw new TypeError('a fault of ours');
    });
    await expect(sender.sendSigned(signed)).rejects.toThrow('a fault of ours');
    expect(node.submitted).toEqual([]);
    db.close();
  });

  test('when it cannot be recorded, and its inputs are unlocked', async () => {
    const { db, ledger, node, sender, disk, changes } = begin();
    disk.isFull = true;
    await expect(sender.sendSigned(signed)).rejects.toThrow('full');
    expect([node.submitted, ledger.hasSend(signed.hash), changes]).toEqual([[], false, ['changed']]);
    db.close();
  });

  test('when it may be recorded, which is reported as uncertain', async () => {
    const commit = (): void => {
      throw walletErrorOf('invalidWalletFilename', undefined, { cause: new UncertainCommit('log') });
    };
    const { db, node, sender, observer, reported } = begin({ commit });
    await expect(sender.sendSigned(signed, observer)).rejects.toEqual(errorOf('daemonStillProcessing'));
    expect([node.submitted, reported]).toEqual([[], ['uncertain']]);
    db.close();
  });

  test('besides a contested send of the same address, unless both share an input or the contested one is replaced', async () => {
    const contest = { hash: hashAt(5), inputs: [{ key: hashAt(6), publicSpendKey: '' }], isReplaced: false };
    const owner = signed.pending.inputs[0]?.publicSpendKey ?? '';
    const key = signed.pending.inputs[0]?.output.key ?? '';
    const ofOwner = { key: hashAt(6), publicSpendKey: owner };
    const stranger = { key: hashAt(8), publicSpendKey: hashAt(9) };
    const cases: [object, boolean][] = [
      [{}, true],
      [{ inputs: [ofOwner] }, false],
      [{ inputs: [stranger, ofOwner] }, false],
      [{ inputs: [ofOwner, { key, publicSpendKey: owner }] }, true],
      [{ inputs: [ofOwner], isReplaced: true }, true],
    ];
    for (const [change, isSent] of cases) {
      const contested = [{ ...contest, ...change }];
      const { db, node, sender } = begin({ context: () => ({ ...context, contested }) });
      const result = await sender.sendSigned(signed).catch((error: unknown) => error);
      if (isSent) expect(result).toBeUndefined();
      else {
        expect(result).toMatchObject({ code: walletErrorRows.refusedTransactionUnresolved.code });
        expect((result as Error).message).toContain(contest.hash);
      }
      expect(node.submitted).toHaveLength(isSent ? 1 : 0);
      db.close();
    }
  });

  test.each([
    ['pending', true],
    ['refused', true],
    ['givenUp', true],
    ['settled', false],
  ] as const)('besides a contested send, unless it is pending or contested itself: %s: %s', async (state, isSent) => {
    const owner = signed.pending.inputs[0]?.publicSpendKey ?? '';
    const other = { hash: hashAt(5), inputs: [{ key: hashAt(6), publicSpendKey: owner }], isReplaced: false };
    const { db, node, sender } = begin({ context: () => ({ ...context, contested: [other] }) });
    db.sends.put({ hash: signed.hash, state, created: 1, signed });
    await sender.sendSigned(signed).catch(() => undefined);
    expect(node.submitted).toHaveLength(isSent ? 1 : 0);
    db.close();
  });
});

describe('a prepared transaction', () => {
  const prepared = () => {
    const made = begin();
    made.db.prepared.put(signed.hash, { hash: signed.hash, signed, creator: '', created: 1 });
    return made;
  };

  test('is stored with its creator and its addresses, and locks nothing', async () => {
    const { db, ledger, sender } = begin();
    const made = await sender.prepare(request, 'shop');
    const destinations = request.destinations.map(({ address }) => address);
    const stored = { hash: made.hash, signed: made, creator: 'shop', destinations, created: NOW * 1000 };
    expect(db.prepared.get(made.hash)).toEqual(stored);
    expect(ledger.hasSend(made.hash)).toBe(false);
    const other = await sender.prepare(request);
    expect(db.prepared.get(other.hash)?.creator).toBe('');
    expect(sender.deletePrepared(made.hash.toUpperCase())).toBe(true);
    expect(sender.deletePrepared(made.hash)).toBe(false);
    db.close();
  });

  test('is deleted after its submission, regardless of the letter case of its hash', async () => {
    const { db, node, sender } = prepared();
    await expect(sender.sendPrepared(hashAt(1))).rejects.toEqual(errorOf('preparedTransactionNotFound'));
    expect((await sender.sendPrepared(signed.hash.toUpperCase())).hash).toBe(signed.hash);
    expect([node.submitted.length, db.prepared.has(signed.hash)]).toEqual([1, false]);
    db.close();
  });

  test('that cannot be deleted after its submission, because the disk is full, is a success', async () => {
    const { db, disk, node, sender } = prepared();
    node.respond = () => ((disk.isFull = true), ACCEPTED());
    expect((await sender.sendPrepared(signed.hash)).hash).toBe(signed.hash);
    [disk.isFull, node.respond] = [false, ACCEPTED];
    expect((await sender.sendPrepared(signed.hash)).hash).toBe(signed.hash);
    expect([new Set(node.submitted).size, db.prepared.has(signed.hash)]).toEqual([1, false]);
    db.close();
  });

  test('is deleted when another transaction locks an input, and retained when its own hold locks it', async () => {
    for (const hash of [signed.hash, hashAt(4)]) {
      const { db, ledger, sender } = prepared();
      ledger.hold({ hash, inputs: signed.pending.inputs.map(({ output }) => output.key), ownOutputs: [] });
      const isOwn = hash === signed.hash;
      const result = await sender.sendPrepared(signed.hash).catch((error: unknown) => error);
      expect(result).toMatchObject(isOwn ? { hash } : { code: walletErrorRows.preparedTransactionExpired.code });
      expect(db.prepared.has(signed.hash)).toBe(false);
      db.close();
    }
  });

  test('needs all of its inputs', async () => {
    const { db, sender } = prepared();
    const unknown = { output: { ...signed.pending.inputs[0]!.output, key: hashAt(3) }, publicSpendKey: '' };
    const two = { ...signed, pending: { ...signed.pending, inputs: [...signed.pending.inputs, unknown] } };
    db.prepared.put(signed.hash, { hash: signed.hash, signed: two, creator: '', created: 1 });
    await expect(sender.sendPrepared(signed.hash)).rejects.toEqual(errorOf('preparedTransactionExpired'));
    expect(db.prepared.has(signed.hash)).toBe(false);
    db.close();
  });

  test('that is pending is submitted again, also after a larger output with the key of an input', async () => {
    const { db, node, sender, made } = prepared();
    node.respond = LOST;
    await expect(sender.sendPrepared(signed.hash)).rejects.toEqual(errorOf('daemonStillProcessing'));
    const [{ output, publicSpendKey }] = signed.pending.inputs as [(typeof signed.pending.inputs)[number]];
    payMore(made, output, publicSpendKey);
    // It may be mined: with another error the client would pay again.
    await expect(sender.sendPrepared(signed.hash)).rejects.toEqual(errorOf('daemonStillProcessing'));
    node.respond = ACCEPTED;
    expect((await sender.sendPrepared(signed.hash)).hash).toBe(signed.hash);
    db.close();
  });

  test('that is pending after a reset may be mined, also after a larger output with the key of an input', async () => {
    const { db, sender, made } = prepared();
    record(made);
    made.ledger.forgetSend(signed.hash);
    const [{ output, publicSpendKey }] = signed.pending.inputs as [(typeof signed.pending.inputs)[number]];
    payMore(made, output, publicSpendKey);
    await expect(sender.sendSigned(signed)).rejects.toEqual(errorOf('daemonStillProcessing'));
    db.close();
  });

  test('that is mined is not submitted again', async () => {
    const { db, ledger, node, sender, pause } = prepared();
    ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map());
    pause.set('operator', 'a test');
    expect((await sender.sendPrepared(signed.hash)).hash).toBe(signed.hash);
    expect([node.submitted, db.prepared.has(signed.hash)]).toEqual([[], false]);
    db.close();
  });
});

describe('a repeated request', () => {
  const stored = (state: 'pending' | 'refused' | 'givenUp' | 'confirmed' | 'settled', more: object = {}) => {
    const made = begin();
    const summary = { hash: signed.hash, fee: 1n, mixin: 1, defaultMixin: 1 };
    made.db.sends.put({ hash: signed.hash, state, created: 1, signed, summary, ...more });
    made.pending.restore();
    return { ...made, summary };
  };

  test.each(['confirmed', 'settled'] as const)('of a %s send has its summary', async (state) => {
    const { db, node, sender, summary } = stored(state);
    expect(await sender.resubmit(signed.hash)).toEqual(summary);
    expect(node.submitted).toEqual([]);
    db.close();
  });

  test('of a mined send has its summary, of an unknown one none', async () => {
    const { db, ledger, node, sender, summary } = stored('refused');
    ledger.apply(blockWith(signed, HEIGHT + 1), [], new Map());
    expect(await sender.resubmit(signed.hash)).toEqual(summary);
    expect([await sender.resubmit(hashAt(1)), node.submitted]).toEqual([undefined, []]);
    db.close();
  });

  test.each(['a reason', undefined])('of a send that was given up is refused: %s', async (reason) => {
    const { db, sender } = stored('givenUp', { reason });
    const error = await sender.resubmit(signed.hash).catch((one: unknown) => one);
    expect(error).toEqual(errorOf('transactionGivenUp'));
    expect((error as Error).message).toBe(walletError.transactionGivenUp(signed.hash, reason ?? '').message);
    db.close();
  });

  test('of a send without its bytes rebuilds it', async () => {
    const { db, node, sender } = stored('pending', { signed: undefined });
    expect(await sender.resubmit(signed.hash)).toBeUndefined();
    expect(node.submitted).toEqual([]);
    db.close();
  });

  test.each([
    ['pending', []],
    ['refused', ['submitting']],
  ] as const)('of a %s send submits its bytes again', async (state, reports) => {
    const { db, node, sender, summary, reported, observer, pause } = stored(state);
    expect(await sender.resubmit(signed.hash, observer)).toEqual(summary);
    expect([node.submitted, reported]).toEqual([[signed.bytes.toString('hex')], reports]);
    pause.set('operator', 'a test');
    db.sends.put({ hash: signed.hash, state, created: 1, signed });
    await expect(sender.resubmit(signed.hash)).rejects.toEqual(errorOf('sendsPaused'));
    db.close();
  });

  const putRing = (db: Parts['db'], change: object): void => {
    const [{ keyImage, members }] = signed.rings as [(typeof signed.rings)[number]];
    db.rings.put(keyImage, { members, refusals: 0, isReplaced: false, ...change });
  };
  const NEW_PARTS: [string, (made: ReturnType<typeof stored>) => void][] = [
    ['a global index was corrected', ({ ledger }) => ledger.setGlobalIndexes(indexesOf(signed, 1), true)],
    ['a ring was replaced', ({ db }) => putRing(db, { refusals: 3, isReplaced: true })],
    ['a later send drew another ring', ({ db }) => putRing(db, { members: signed.rings[0]?.members.slice(1) })],
  ];
  test('of a pending send that the ledger lost waits when a larger output with the key of an input was found', async () => {
    const made = stored('pending');
    made.ledger.forgetSend(signed.hash);
    const [{ output, publicSpendKey }] = signed.pending.inputs as [(typeof signed.pending.inputs)[number]];
    payMore(made, output, publicSpendKey);
    await expect(made.sender.resubmit(signed.hash)).rejects.toEqual(errorOf('idempotencyKeyUnderWay'));
    made.db.close();
  });

  test('of a refused send submits its bytes when a larger output with the key of its change was found', async () => {
    const made = stored('refused');
    const [change] = signed.pending.ownOutputs as [(typeof signed.pending.ownOutputs)[number]];
    payMore(made, change, change.publicSpendKey);
    expect(await made.sender.resubmit(signed.hash)).toEqual(made.summary);
    const expected = made.ledger.content().subWallets.flatMap(({ unconfirmedIncoming }) => unconfirmedIncoming);
    expect(expected.map(({ key }) => key)).not.toContain(change.key);
    made.db.close();
  });

  test.each(NEW_PARTS)('of a refused send rebuilds it when %s', async (_what, change) => {
    const made = stored('refused');
    change(made);
    expect(await made.sender.resubmit(signed.hash)).toBeUndefined();
    expect(made.node.submitted).toEqual([]);
    made.db.close();
  });

  test('of a pending send submits its bytes even after corrections', async () => {
    const made = stored('pending');
    for (const [, change] of NEW_PARTS) change(made);
    expect(await made.sender.resubmit(signed.hash)).toEqual(made.summary);
    made.db.close();
  });

  test('of a refused send with two inputs rebuilds it when the index of one was corrected', async () => {
    const other = context.subWallets[0]!.unspent.find(({ key }) => key !== signed.pending.inputs[0]?.output.key)!;
    const inputs = [{ output: other, publicSpendKey: '' }, ...signed.pending.inputs];
    const made = stored('refused', { signed: { ...signed, pending: { ...signed.pending, inputs } } });
    made.ledger.setGlobalIndexes(indexesOf(signed, 1), true);
    expect(await made.sender.resubmit(signed.hash)).toBeUndefined();
    expect(made.node.submitted).toEqual([]);
    made.db.close();
  });

  test('of a refused send rebuilds it when the current rules reject it', async () => {
    const made = parts();
    const node = new TestNode();
    const late = { ...context, localHeight: HEIGHT + 100, contested: [] };
    const { sender } = senderOf(made, node as unknown as NodeList, { context: () => late });
    const { hash } = signed;
    made.db.sends.put({
      hash,
      state: 'refused',
      created: 1,
      signed,
      summary: { hash, fee: 1n, mixin: 1, defaultMixin: 1 },
    });
    expect(await sender.resubmit(hash)).toBeUndefined();
    expect(node.submitted).toEqual([]);
    made.db.close();
  });

  test('is still submitted when the index of a removed input is no longer known', async () => {
    const { db, ledger, sender } = stored('refused');
    ledger.reset(0);
    await expect(sender.resubmit(signed.hash)).rejects.toEqual(errorOf('idempotencyKeyUnderWay'));
    db.close();
  });

  test('waits while another send has its inputs', async () => {
    const { db, ledger, node, sender } = stored('refused');
    ledger.recordSend({ ...signed.pending, hash: hashAt(4), ownOutputs: [] });
    await expect(sender.resubmit(signed.hash)).rejects.toEqual(errorOf('idempotencyKeyUnderWay'));
    expect(node.submitted).toEqual([]);
    db.close();
  });

  test('of a pending send that the ledger lost has the inputs that are reserved for it', async () => {
    for (const [hash, result, isLocked] of [
      [signed.hash, { hash: signed.hash }, false],
      [hashAt(4), errorOf('preparedTransactionExpired'), false],
      // It may still be mined.
      [signed.hash, errorOf('daemonStillProcessing'), true],
    ] as const) {
      const made = begin({
        context: () => ({ ...context, subWallets: context.subWallets.map((one) => ({ ...one, unspent: [] })) }),
      });
      const { db, pending, sender, ledger } = made;
      record(made.made);
      if (hash !== signed.hash) db.sends.delete(signed.hash);
      pending.restore();
      ledger.forgetSend(signed.hash);
      const keys = signed.pending.inputs.map(({ output }) => output.key);
      if (isLocked) ledger.hold({ hash: hashAt(7), inputs: keys, ownOutputs: [] });
      jest.spyOn(pending, 'reservedInputs').mockReturnValue(new Map([...keys, hashAt(8)].map((key) => [key, hash])));
      db.prepared.put(signed.hash, { hash: signed.hash, signed, creator: '', created: 1 });
      expect(await sender.sendPrepared(signed.hash).catch((error: unknown) => error)).toMatchObject(result);
      expect(db.prepared.has(signed.hash)).toBe(isLocked);
      db.close();
    }
  });
});

describe('pending sends are broadcast', () => {
  test('with their bytes, and foreign ones are looked up', async () => {
    const { db, made, node, pending, ledger, sender } = begin();
    record(made);
    db.sends.put({ hash: hashAt(1), state: 'pending', created: 1 });
    pending.restore();
    const noted = jest.spyOn(pending, 'noteForeign');
    await sender.resubmitPending();
    expect([node.broadcasts, noted.mock.calls]).toEqual([[signed.bytes.toString('hex')], []]);
    const other = context.subWallets[0]!.unspent.find(({ key }) => key !== signed.pending.inputs[0]?.output.key)!;
    const inputs = [{ output: other, publicSpendKey: context.subWallets[0]!.publicSpendKey }];
    ledger.recordSend({ ...signed.pending, hash: hashAt(2), inputs, ownOutputs: [] });
    await sender.resubmitPending();
    expect(noted.mock.calls).toEqual([[[hashAt(2)]]]);
    db.close();
  });

  test('except one whose first submission is running, and one that ended during the broadcast', async () => {
    const { db, node, sender } = begin();
    node.respond = async () => (await sender.resubmitPending(), { isAccepted: true });
    await sender.sendSigned(signed);
    expect(node.broadcasts).toEqual([]);
    await sender.resubmitPending();
    expect(node.broadcasts).toHaveLength(1);
    db.close();
  });

  test('also while a second submission is running', async () => {
    const { db, made, node, sender } = begin();
    record(made);
    node.respond = async () => (await sender.resubmitPending(), { isAccepted: true });
    await sender.sendSigned(signed);
    expect(node.broadcasts).toHaveLength(1);
    db.close();
  });

  test.each(['refused', 'removed'])('until the wallet closes, or a send is %s during the broadcast', async (what) => {
    const closing = new AbortController();
    const { db, made, node, pending, commit, sender } = begin({ signal: closing.signal });
    record(made);
    const second = { ...signed, hash: hashAt(3) };
    commit(() => pending.add(second));
    node.broadcast = (bytes) => {
      node.broadcasts.push(bytes.toString('hex'));
      commit(() => (what === 'refused' ? pending.refuse(second, 'no room') : pending.undoAdd(second.hash, undefined)));
      return Promise.resolve([]);
    };
    await sender.resubmitPending();
    expect(node.broadcasts).toHaveLength(1);
    closing.abort();
    await sender.resubmitPending();
    expect(node.broadcasts).toHaveLength(1);
    db.close();
  });
});

describe('a refusal that blames a ring', () => {
  const { text: reason } = REASONS.INPUT_INVALID_SIGNATURES;
  const blamed = () => {
    const made = begin();
    made.node.respond = () => Promise.resolve({ isAccepted: false, reason });
    return made;
  };
  const refusalsOf = ({ db }: Parts): (number | undefined)[] =>
    signed.rings.map(({ keyImage }) => db.rings.get(keyImage)?.refusals);

  test('counts when the own indexes are right', async () => {
    const { made, sender, db } = blamed();
    await expect(sender.sendSigned(signed)).rejects.toThrow(reason);
    expect(refusalsOf(made)).toEqual([1]);
    db.close();
  });

  test('does not count for a submission of a pending send', async () => {
    const { made, sender, db } = blamed();
    record(made);
    await expect(sender.sendSigned(signed)).rejects.toEqual(errorOf('daemonStillProcessing'));
    expect(refusalsOf(made)).toEqual([0]);
    db.close();
  });

  test('does not count when no node returns the indexes', async () => {
    const { made, node, sender, db, events } = blamed();
    for (const failure of [new NodeFailure('timeout', 'is silent', {}), new TypeError('a fault of ours')]) {
      node.indexes = () => Promise.reject(failure);
      await expect(sender.sendSigned(signed)).rejects.toThrow(reason);
    }
    expect(refusalsOf(made)).toEqual([0]);
    expect(events.map(({ kind }) => kind)).not.toContain('indexes-corrected');
    db.close();
  });

  test('corrects wrong indexes instead', async () => {
    const { made, node, sender, db, events, ledger, changes } = blamed();
    node.indexes = () => Promise.resolve(indexesOf(signed, 1));
    await expect(sender.sendSigned(signed)).rejects.toThrow(reason);
    const [{ output }] = signed.pending.inputs as [(typeof signed.pending.inputs)[number]];
    expect(ledger.findOutput(output.key)?.output.globalIndex).toBe((output.globalIndex ?? 0) + 1);
    expect(refusalsOf(made)).toEqual([0]);
    const payload = { outputs: [output.key] };
    expect(events.at(-1)).toEqual({ kind: 'indexes-corrected', transaction: signed.hash, payload });
    expect(changes).toHaveLength(3);
    db.close();
  });

  test('corrects wrong indexes that another node of the list confirms', async () => {
    const { made, node, sender, db, events, ledger } = blamed();
    node.others.push({ globalIndexes: () => Promise.resolve(indexesOf(signed)) });
    node.indexes = () => Promise.resolve(indexesOf(signed, 1));
    await expect(sender.sendSigned(signed)).rejects.toThrow(reason);
    const [{ output }] = signed.pending.inputs as [(typeof signed.pending.inputs)[number]];
    expect(ledger.findOutput(output.key)?.output.globalIndex).toBe((output.globalIndex ?? 0) + 1);
    expect(events.at(-1)).toMatchObject({ kind: 'indexes-corrected' });
    // The confirmed indexes may be right and the ring wrong.
    expect(refusalsOf(made)).toEqual([1]);
    db.close();
  });

  test('of another kind does not request indexes', async () => {
    const { made, node, sender, db } = begin();
    node.respond = REFUSED;
    node.indexes = () => Promise.reject(new Error('not asked'));
    await expect(sender.sendSigned(signed)).rejects.toThrow('no room');
    expect(refusalsOf(made)).toEqual([0]);
    db.close();
  });
});
