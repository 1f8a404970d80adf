import { Ledger } from '../../src/ledger/ledger';
import { ReceivedImages } from '../../src/ledger/key-image-filter';
import { type LedgerChange, LedgerFault } from '../../src/ledger/model';
import { balanceOf, emptyContent, emptySubWallet } from './support/contents';
import { hashOf, type ModelBlock, type ModelTransaction, pendingOf, scannedBlock } from './support/model-chain';
import { ALICE, amounts, apply, blockOf, BOB, newLedger, of, paying, sendAll } from './support/model-ledger';

const KEY_OF_A = hashOf('output of a');
const spending = (name: string, change: bigint, owner = BOB): ModelTransaction => ({
  ...paying(name, change, owner),
  takes: [{ key: KEY_OF_A, amount: 100n }],
});
const applyUnverified = (ledger: Ledger, model: ModelBlock): void => {
  const { block, found } = scannedBlock(model);
  ledger.apply(block, found, new Map([[hashOf('short id'), 'ef'.repeat(8)]]), false);
};

describe('queued changes', () => {
  test('can be taken once, and put back before newer ones', () => {
    const ledger = newLedger();
    expect(ledger.takeChanges()).toEqual({ changes: [], retired: [] });
    expect([ledger.hasChanges, ledger.hasMoneyChanges]).toEqual([false, false]);
    apply(ledger, blockOf(1, paying('a', 1n)), blockOf(2, { ...spending('b', 1n) }), blockOf(5_760));
    const taken = ledger.takeChanges();
    expect(taken.retired).toHaveLength(1);
    expect(ledger.takeChanges()).toEqual({ changes: [], retired: [] });
    ledger.setGlobalIndexes(new Map());
    ledger.forgetSend(hashOf('unknown'));
    ledger.releaseAbandoned();
    expect(ledger.hasChanges).toBe(false);
    ledger.startAt(7);
    ledger.putBack(taken);
    expect(ledger.takeChanges()).toEqual({
      changes: [...taken.changes, { kind: 'startAt', height: 7 }],
      retired: taken.retired,
    });
    expect(taken.changes.map(({ kind }) => kind)).toEqual(['block', 'block', 'advance']);
  });

  test('are of money unless all are advances', () => {
    const ledger = newLedger();
    ledger.markTip(1, hashOf('tip'));
    expect([ledger.hasChanges, ledger.hasMoneyChanges]).toEqual([true, false]);
    ledger.startAt(7);
    expect(ledger.hasMoneyChanges).toBe(true);
  });

  test('of a first block at height 0 have no rewind', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(0, paying('a', 1n)), blockOf(1, paying('b', 1n)));
    expect(ledger.takeChanges().changes.map(({ kind }) => kind)).toEqual(['block', 'block']);
    apply(ledger, blockOf(1));
    expect(ledger.takeChanges().changes.map(({ kind }) => kind)).toEqual(['rewind', 'advance']);
  });

  test('are empty for a tip below the ledger', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(5));
    ledger.takeChanges();
    ledger.markTip(4, hashOf('below'));
    expect(ledger.hasChanges).toBe(false);
    ledger.markTip(5, hashOf('same'));
    expect(ledger.takeChanges().changes).toEqual([{ kind: 'advance', blocks: [[5, hashOf('same')]] }]);
  });

  /** Changes of a ledger in which Alice has 100 of block 1, and a pending send. */
  const CHANGES: Record<string, (ledger: Ledger, send: ModelTransaction) => void> = {
    'a block': (ledger) => apply(ledger, blockOf(2, paying('b', 1n))),
    'an unverified block with a payment id': (ledger) =>
      applyUnverified(ledger, blockOf(2, { ...paying('short id', 1n), paymentId: 'cd'.repeat(8) })),
    'a verified block': (ledger) => {
      applyUnverified(ledger, blockOf(2, paying('b', 1n)));
      ledger.markVerified(2);
    },
    'a cancelled send': (ledger, { hash }) => ledger.cancelSend(hash),
    'a forgotten send': (ledger, { hash }) => ledger.forgetSend(hash),
    'a transaction key': (ledger) => ledger.setTransactionKey({ transactionHash: hashOf('t'), secretKey: hashOf('k') }),
    'abandoned inputs': (ledger) => ledger.releaseAbandoned(),
    'a new sub-wallet': (ledger) => ledger.addSubWallet(emptySubWallet(hashOf('carol')), 7),
    'a removed sub-wallet': (ledger) => ledger.removeSubWallet(ALICE),
    'a start height': (ledger) => ledger.startAt(33),
    'a reset': (ledger) => ledger.reset(44),
    'a rewind': (ledger) => ledger.rewind(1),
  };

  test.each(Object.keys(CHANGES))('give the same content when they are replayed: %s', (what) => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    // A crash has left an input locked.
    const { subWallets, ...rest } = ledger.content();
    const lost = { ...of(ledger).locked[0]!, key: hashOf('lost'), spendingTransactionHash: hashOf('lost send') };
    const before = {
      ...rest,
      ...{ startTimestamp: 9, startHeight: 0 },
      subWallets: subWallets.map((one, i) => (i === 0 ? { ...one, locked: [...one.locked, lost] } : one)),
    };
    const [changed, replayed] = [new Ledger(before), new Ledger(before)];
    CHANGES[what]?.(changed, send);
    const { changes } = changed.takeChanges();
    expect(changes.length).toBeGreaterThan(0);
    for (const change of changes) replayed.replay(change);
    expect(changed.content()).not.toEqual(before);
    expect(replayed.content()).toEqual(changed.content());
    expect(replayed.hasChanges).toBe(false);
  });

  test.each([
    [1, 52],
    [100, 51],
  ])('of advances by %s blocks have the last 50 blocks and every checkpoint', (step, count) => {
    const ledger = newLedger();
    const replayed = newLedger();
    for (const one of [ledger, replayed]) apply(one, blockOf(1, paying('a', 1n)));
    ledger.takeChanges();
    for (let height = 2; height <= 10_100; height += step) ledger.markTip(height, hashOf(`tip ${height}`));
    const { changes } = ledger.takeChanges();
    expect(changes).toMatchObject([{ kind: 'advance' }]);
    expect((changes[0] as LedgerChange & { kind: 'advance' }).blocks).toHaveLength(count);
    for (const change of changes) replayed.replay(change);
    expect(ledger.progress().checkpointHashes).toHaveLength(2);
    expect(replayed.progress()).toEqual(ledger.progress());
  });
});

describe('an unverified block', () => {
  const balance = (ledger: Ledger): object => balanceOf(ledger, 9, 0);

  test('is listed with its transactions, outputs and spends until it is verified', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const b = paying('b', 5n);
    const c = { ...paying('c', 0n), takes: [{ key: hashOf('output of b'), amount: 5n }], outputs: [] };
    expect(ledger.unverifiedBlocks()).toEqual([]);
    applyUnverified(ledger, blockOf(2, b, spending('d', 60n)));
    applyUnverified(ledger, blockOf(3, c));
    applyUnverified(
      ledger,
      blockOf(4, paying('e', 1n), { ...paying('f', 2n), takes: [{ key: hashOf('output of f'), amount: 2n }] }),
    );
    const hashes = (list: readonly { hash: string }[]): string[] => list.map(({ hash }) => hash);
    const keys = (list: readonly { key: string }[]): string[] => list.map(({ key }) => key);
    const listed = () =>
      ledger.unverifiedBlocks().map(({ height, hash, transactions, outputs, spent }) => {
        return [height, hash, hashes(transactions), keys(outputs).sort(), keys(spent)];
      });
    const second = [2, blockOf(2, b, spending('d', 60n)).hash, [b.hash, hashOf('d')]];
    expect(listed()).toStrictEqual([
      [...second, [hashOf('output of b'), hashOf('output of d')].sort(), [KEY_OF_A]],
      [3, blockOf(3, c).hash, [c.hash], [], [hashOf('output of b')]],
      [
        4,
        expect.any(String),
        [hashOf('e'), hashOf('f')],
        [hashOf('output of e'), hashOf('output of f')].sort(),
        [hashOf('output of f')],
      ],
    ]);
    expect(balance(ledger)).toEqual({ unlocked: 0n, locked: 61n });
    ledger.takeChanges();
    expect(ledger.markVerified(9)).toEqual([]);
    expect(ledger.hasChanges).toBe(false);
    expect(hashes(ledger.markVerified(2))).toEqual([b.hash, hashOf('d')]);
    expect(ledger.markVerified(2)).toEqual([]);
    expect(ledger.takeChanges().changes).toEqual([{ kind: 'verified', height: 2 }]);
    expect(listed().map(([height]) => height)).toEqual([3, 4]);
    expect(balance(ledger)).toEqual({ unlocked: 60n, locked: 1n });
    expect(ledger.confirmed(b.hash)).toEqual(ledger.content().transactions[1]);
    ledger.markVerified(3);
    ledger.markVerified(4);
    const verified = newLedger();
    apply(verified, blockOf(1, paying('a', 100n)), blockOf(2, b, spending('d', 60n)), blockOf(3, c));
    apply(
      verified,
      blockOf(4, paying('e', 1n), { ...paying('f', 2n), takes: [{ key: hashOf('output of f'), amount: 2n }] }),
    );
    expect(ledger.content()).toEqual(verified.content());
  });

  test('is listed once after a rewind and a second branch', () => {
    const ledger = newLedger();
    applyUnverified(ledger, blockOf(2, paying('a', 100n)));
    expect(ledger.unverifiedBlocks().map(({ spent }) => spent)).toStrictEqual([[]]);
    ledger.rewind(2);
    expect(ledger.unverifiedBlocks()).toEqual([]);
    apply(ledger, blockOf(2, paying('a', 100n)));
    expect(ledger.unverifiedBlocks()).toEqual([]);
  });
});

test('the applied height does not count marked blocks', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(5));
  ledger.markTip(9, hashOf('tip'));
  expect([ledger.appliedHeight, ledger.position().height]).toEqual([5, 9]);
  ledger.rewind(7);
  expect([ledger.appliedHeight, ledger.position().height]).toEqual([5, 6]);
  ledger.rewind(5);
  expect([ledger.appliedHeight, ledger.position().height]).toEqual([4, 4]);
  ledger.appliedHeight = 3;
  expect(ledger.appliedHeight).toBe(3);
});

test('a block has an own spend if any input is an applied or received own output', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)));
  const mixed = {
    ...spending('b', 1n),
    takes: [
      { key: hashOf('foreign'), amount: 1n },
      { key: KEY_OF_A, amount: 1n },
    ],
  };
  const has = (transaction: ModelTransaction, images: string[] = []): boolean => {
    const received = new ReceivedImages();
    for (const image of images) received.add(image);
    return ledger.hasOwnSpend(scannedBlock(blockOf(2, paying('x', 1n), transaction)).block, received);
  };
  expect([has(mixed), has(paying('c', 1n))]).toEqual([true, false]);
  const foreign = { ...mixed, takes: mixed.takes.slice(0, 1) };
  expect([has(foreign), has(foreign, [hashOf(`image of ${hashOf('foreign')}`)])]).toEqual([false, true]);
});

test('lists unconfirmed hashes, and finds sends, transactions and outputs', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)));
  const { hash } = sendAll(ledger, 'send', 40n);
  expect(ledger.unconfirmedHashes()).toEqual([hash]);
  expect([ledger.hasSend(hash), ledger.hasSend(hashOf('a'))]).toEqual([true, false]);
  expect([ledger.confirmed(hash), ledger.confirmed(hashOf('a'))]).toEqual([
    undefined,
    ledger.content().transactions[0],
  ]);
  expect(ledger.findOutput(KEY_OF_A)).toMatchObject({ list: 'locked', output: of(ledger).locked[0] });
  expect(ledger.findOutput(hashOf('unknown'))).toBeUndefined();
  expect(ledger.content().unconfirmed).toMatchObject([{ isCoinbase: false }]);
});

describe('sub-wallets', () => {
  const CAROL = hashOf('carol');
  const secret = hashOf('secret of carol');

  test('have addresses and scan keys, the same object until one is added or removed', () => {
    const ledger = newLedger();
    expect([ledger.addressOf(ALICE), ledger.addressOf(CAROL)]).toEqual([`address of ${ALICE}`, undefined]);
    const keys = ledger.scanKeys();
    expect(keys).toEqual({
      privateViewKey: '0'.repeat(64),
      spendKeys: [ALICE, BOB].map((publicSpendKey) => ({ publicSpendKey, privateSpendKey: undefined })),
    });
    expect(ledger.scanKeys()).toBe(keys);
    const publicKeys = () => ledger.scanKeys().spendKeys.map(({ publicSpendKey }) => publicSpendKey);
    ledger.addSubWallet(emptySubWallet(CAROL, { walletIndex: 5 }), 8);
    expect([publicKeys(), ledger.content().subWalletIndexCounter]).toEqual([[ALICE, BOB, CAROL], 8]);
    ledger.undoAddSubWallet(CAROL, 3);
    expect([publicKeys(), ledger.content().subWalletIndexCounter]).toEqual([[ALICE, BOB], 3]);
    ledger.removeSubWallet(ALICE);
    expect(publicKeys()).toEqual([BOB]);
  });

  test('cannot be added twice', () => {
    expect(() => newLedger().addSubWallet(emptySubWallet(ALICE))).toThrow(
      new LedgerFault(`the sub-wallet ${ALICE} already exists`),
    );
  });

  test.each([
    ['with a private spend key', secret, false],
    ['without one', undefined, true],
  ])(
    'the first one after all were removed is primary, and %s determines the kind of the wallet',
    (_what, key, isView) => {
      const ledger = new Ledger(emptyContent([emptySubWallet(ALICE)], { isViewWallet: !isView }));
      ledger.removeSubWallet(ALICE);
      expect(ledger.content()).toMatchObject({ subWallets: [], isViewWallet: !isView });
      ledger.addSubWallet(emptySubWallet(CAROL, { privateSpendKey: key }));
      ledger.addSubWallet(emptySubWallet(BOB, { privateSpendKey: key === undefined ? secret : undefined }));
      const { isViewWallet, privateViewKey, subWallets } = ledger.content();
      expect([isViewWallet, privateViewKey]).toEqual([isView, '0'.repeat(64)]);
      expect(subWallets.map(({ isPrimary }) => isPrimary)).toEqual([true, false]);
    },
  );

  test.each([
    ['the primary one', true, [true, false]],
    ['another one', false, [false, true]],
  ])('one is primary after %s was removed', (_what, isPrimary, expected) => {
    const subWallets = [
      emptySubWallet(ALICE, { isPrimary }),
      emptySubWallet(BOB),
      emptySubWallet(CAROL, { isPrimary: !isPrimary }),
    ];
    const ledger = new Ledger(emptyContent(subWallets));
    ledger.removeSubWallet(ALICE);
    expect(ledger.content().subWallets.map((one) => one.isPrimary)).toEqual(expected);
  });

  test('have separate balances', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n), paying('b', 7n, BOB)));
    expect(balanceOf(ledger, 1, 0, [BOB])).toEqual({ unlocked: 7n, locked: 0n });
    expect(balanceOf(ledger, 1, 0, [])).toEqual({ unlocked: 0n, locked: 0n });
    expect(balanceOf(ledger, 1, 0)).toEqual({ unlocked: 107n, locked: 0n });
  });

  test('are removed with their transfers, and with sends that concern no other sub-wallet', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n), paying('b', 7n, BOB)));
    const inputsOf = (...owners: string[]) => owners.map((owner) => ({ owner, output: of(ledger, owner).unspent[0]! }));
    const record = (name: string, ...owners: string[]): void =>
      ledger.recordSend(pendingOf({ ...paying(name, 1n), outputs: [] }, inputsOf(...owners)));
    record('both', ALICE, BOB);
    ledger.removeSubWallet(ALICE);
    expect(ledger.content().unconfirmed).toMatchObject([{ transfers: [{ publicSpendKey: BOB, amount: -7n }] }]);
    ledger.removeSubWallet(BOB);
    expect([ledger.content().unconfirmed, ledger.hasSend(hashOf('both'))]).toEqual([[], false]);
  });
});

test('the scan starts at the height of the file, until a start height is set', () => {
  const ledger = new Ledger(emptyContent([emptySubWallet(ALICE)], { startHeight: 3, startTimestamp: 4 }));
  expect(ledger.scanStart()).toEqual({ height: 3, timestamp: 4 });
  ledger.startAt(9);
  expect(ledger.scanStart()).toEqual({ height: 9, timestamp: 0 });
});

test('a rewind restores retired outputs that a removed block spent, once, and no others', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)), blockOf(2, spending('b', 60n)), blockOf(5_760));
  const { retired } = ledger.takeChanges();
  const [first] = retired;
  const requested: number[] = [];
  const restored = new Ledger(ledger.content(), (height) => {
    requested.push(height);
    const { output } = first!;
    return [
      first!,
      { output, publicSpendKey: hashOf('removed') },
      { output: { ...output, key: hashOf('x') }, publicSpendKey: ALICE },
    ];
  });
  expect(of(restored).retiredKeys).toEqual([KEY_OF_A]);
  restored.rewind(2);
  expect(requested).toEqual([2]);
  expect(of(restored)).toMatchObject({ locked: [{ key: KEY_OF_A, spendHeight: 0 }], spent: [], unspent: [] });
  expect(of(restored).retiredKeys).toBeUndefined();
  restored.cancelSend(hashOf('b'));
  restored.rewind(1);
  expect(of(restored)).toMatchObject({ locked: [], spent: [], unspent: [] });
  apply(restored, blockOf(1, paying('a', 100n)));
  expect(amounts(of(restored).unspent)).toEqual([100n]);
});

describe('the content of a file', () => {
  test('counts the first of two equal transactions, and no pending send that is confirmed', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const content = ledger.content();
    const [first] = content.transactions;
    const read = new Ledger({ ...content, transactions: [first!, { ...first!, fee: 9n }], unconfirmed: [first!] });
    expect(read.content()).toEqual(content);
    expect(read.confirmed(hashOf('a'))).toEqual(first);
  });

  test('expects change, unless the output is known', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    sendAll(ledger, 'send', 40n);
    const { subWallets, ...rest } = ledger.content();
    const known = { key: KEY_OF_A, amount: 5n, parentTransactionHash: hashOf('a') };
    const read = new Ledger({
      ...rest,
      subWallets: subWallets.map((one) => ({ ...one, unconfirmedIncoming: [...one.unconfirmedIncoming, known] })),
    });
    expect(read.content().subWallets).toEqual(subWallets);
    expect(balanceOf(read, 1, 0)).toEqual({ unlocked: 0n, locked: 40n });
  });
});

test('global indexes: each output of a transaction is listed until its own is known', () => {
  const ledger = newLedger();
  const two = {
    ...paying('a', 1n),
    outputs: ['p', 'q'].map((name) => ({ key: hashOf(name), amount: 1n, owner: ALICE })),
  };
  apply(ledger, blockOf(1, paying('indexed', 1n)));
  const { block, found } = scannedBlock(blockOf(2, two, paying('b', 1n)));
  ledger.apply(
    block,
    found.map((one) => ({ ...one, globalIndex: undefined })),
    new Map(),
  );
  const missing = () =>
    ledger.unindexedOutputs().map(({ parentTransactionHash, outputIndex }) => [parentTransactionHash, outputIndex]);
  expect(missing()).toEqual([
    [hashOf('a'), 0],
    [hashOf('a'), 1],
    [hashOf('b'), 0],
  ]);
  ledger.setGlobalIndexes(new Map([[hashOf('a'), [5]]]));
  expect(missing()).toEqual([
    [hashOf('a'), 1],
    [hashOf('b'), 0],
  ]);
  ledger.setGlobalIndexes(
    new Map([
      [hashOf('a'), [5, 6]],
      [hashOf('b'), [7]],
    ]),
  );
  expect(missing()).toEqual([]);
  ledger.setGlobalIndexes(new Map([[hashOf('a'), [8, 9]]]), true);
  expect(of(ledger).unspent.map(({ globalIndex }) => globalIndex)).toEqual([7, 8, 9, 7]);
});
