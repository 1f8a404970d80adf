import { Wallet } from '../../src/wallet';
import { hashOf, type ModelBlock, type ModelTransaction } from '../ledger/support/model-chain';
import { emptyContent, emptySubWallet } from '../ledger/support/contents';
import { ALICE, FakeParts, type PlayedChain, type TestShapes } from './fakes';

/* The composition: what is written down before what, and who waits for whom. */

const settings = { file: 'a.wallet', password: 'secret', node: 'first' };

const pay = (name: string, amount = 100n, owner = ALICE): ModelTransaction => ({
  hash: hashOf(name),
  isCoinbase: false,
  paymentId: '',
  takes: [],
  outputs: [{ key: hashOf(`output of ${name}`), amount, owner }],
});

const block = (height: number, ...transactions: ModelTransaction[]): ModelBlock => ({
  height,
  hash: hashOf(`block ${height} ${transactions.length}`),
  transactions,
});

async function open(parts = new FakeParts()): Promise<{
  parts: FakeParts;
  wallet: Wallet<string, TestShapes>;
  chain: PlayedChain;
}> {
  const wallet = await Wallet.open(parts, settings);
  if (parts.chain === undefined) throw new Error('nothing follows the chain');
  return { parts, wallet, chain: parts.chain };
}

test('blocks show in the next snapshot, and are told when they do; the old one stays as it was', async () => {
  const { wallet, chain } = await open();
  const before = wallet.snapshot;
  const told: unknown[] = [];
  wallet.on('transaction', ({ hash }) => told.push([hash, wallet.snapshot.transaction(hash)?.blockHeight]));
  chain.play(block(1, pay('a')), block(2, pay('b')));
  expect(told).toEqual([
    [hashOf('a'), 1],
    [hashOf('b'), 2],
  ]);
  expect(wallet.snapshot.balance()).toEqual({ unlocked: 200n, locked: 0n });
  expect(wallet.snapshot.transactions({ start: 2 })).toHaveLength(1);
  expect(before.balance()).toEqual({ unlocked: 0n, locked: 0n });
});

test('locks are judged at the height of the wallet while no node has answered', async () => {
  const { wallet, chain } = await open();
  chain.play(block(9, pay('a')));
  chain.status = { ...chain.status, networkHeight: 0 };
  const locked = wallet.snapshot.content.subWallets.map((one) => ({
    ...one,
    unspent: one.unspent.map((output) => ({ ...output, unlockTime: 10n })),
  }));
  const content = { ...wallet.snapshot.content, subWallets: locked };
  const { wallet: offline } = await open(new FakeParts(content));
  expect(offline.snapshot.balance()).toEqual({ unlocked: 100n, locked: 0n });
});

describe('sends', () => {
  test('are on the disk before they leave', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a')));
    parts.log.length = 0;
    const { hash } = await wallet.send({ amount: 30n });
    expect(parts.log).toEqual(['build', 'save', 'relay']);
    expect(parts.saved[0]).toMatchObject({
      unconfirmed: [{ hash }],
      subWallets: [
        { unspent: [], locked: [{ spendingTransactionHash: hash }], unconfirmedIncoming: [{ amount: 70n }] },
      ],
      transactionKeys: [{ transactionHash: hash }],
    });
    expect(wallet.snapshot.unconfirmed()).toHaveLength(1);
    expect(wallet.snapshot.transactionKey(hash)).toBeDefined();
  });

  test('do not leave when they cannot be written down, and lock nothing', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a')));
    parts.onSave = () => Promise.reject(new Error('2'));
    await expect(wallet.send({ amount: 30n })).rejects.toThrow('2');
    expect(parts.log).not.toContain('relay');
    expect(wallet.snapshot.balance()).toEqual({ unlocked: 100n, locked: 0n });
    expect(wallet.snapshot.content.transactionKeys).toEqual([]);
  });

  test('that are refused give their inputs back, whether or not that can be saved', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a')));
    const warnings: string[] = [];
    wallet.on('warning', (text) => warnings.push(text));
    parts.onRelay = async () => {
      parts.onSave = () => Promise.reject(new Error('disk full'));
      return 'refused';
    };
    await expect(wallet.send({ amount: 30n })).rejects.toThrow('31');
    expect(wallet.snapshot.balance()).toEqual({ unlocked: 100n, locked: 0n });
    expect(warnings).toEqual([expect.stringContaining('disk full')]);
  });

  test('are made one at a time: twenty at once over five outputs take each output once', async () => {
    const { wallet, chain } = await open();
    chain.play(block(1, ...Array.from({ length: 5 }, (_, i) => pay(`p${i}`))));
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => wallet.send({ amount: 100n })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const [subWallet] = wallet.snapshot.subWallets;
    expect(subWallet?.unspent).toEqual([]);
    expect(new Set(subWallet?.locked.map(({ spendingTransactionHash }) => spendingTransactionHash)).size).toBe(5);
  });

  test('whose input a block takes away meanwhile are 57, and nothing leaves', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a')));
    parts.onBuild = async () => {
      const taken = { ...pay('b', 1n), takes: [{ key: hashOf('output of a'), amount: 100n }] };
      chain.play(block(2, taken));
    };
    await expect(wallet.send({ amount: 30n })).rejects.toThrow('57');
    expect(parts.log).not.toContain('relay');
    expect(wallet.snapshot.unconfirmed()).toEqual([]);
  });

  test('that are on their way to a slow node are not asked about, and so not given up; afterwards they are', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a')));
    let [asked, listed] = [['nothing'], 0];
    parts.onRelay = async () => {
      asked = [...chain.ledger.unconfirmedHashes()];
      listed = wallet.snapshot.unconfirmed().length;
      return 'accepted';
    };
    const { hash } = await wallet.send({ amount: 30n });
    expect([asked, listed]).toEqual([[], 1]);
    expect(chain.ledger.unconfirmedHashes()).toEqual([hash]);
  });

  test('that are prepared lock nothing, go once, and stay when the node refuses', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a')));
    const { hash } = await wallet.prepare({ amount: 30n });
    expect(wallet.snapshot.balance().unlocked).toBe(100n);
    parts.onRelay = async () => 'refused';
    await expect(wallet.sendPrepared(hash)).rejects.toThrow('31');
    parts.onRelay = async () => 'accepted';
    await wallet.sendPrepared(hash);
    await expect(wallet.sendPrepared(hash)).rejects.toThrow('not there');
    expect(wallet.deletePrepared(hash)).toBe(false);
  });

  test('of a sweep are each written down before the next', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a'), pay('b')));
    parts.log.length = 0;
    expect(await wallet.sweep('all')).toHaveLength(2);
    expect(parts.log).toEqual(['build', 'save', 'relay', 'build', 'save', 'relay']);
  });

  test('are not waited for by reads and estimates', async () => {
    const { parts, wallet, chain } = await open();
    chain.play(block(1, pay('a')));
    let release = (): void => undefined;
    parts.onBuild = () => new Promise<void>((resolve) => (release = resolve));
    const sent = wallet.send({ amount: 30n });
    expect(await wallet.estimate({ amount: 1n })).toBe('estimate');
    expect(wallet.snapshot.balance().unlocked).toBe(100n);
    release();
    await sent;
    expect(wallet.snapshot.balance()).toEqual({ unlocked: 0n, locked: 70n });
  });
});

describe('sub-wallets', () => {
  test('are on the disk when they are told', async () => {
    const { parts, wallet } = await open();
    const { publicSpendKey } = await wallet.createSubWallet();
    expect(parts.saved.at(-1)?.subWallets.map((one) => one.publicSpendKey)).toEqual([ALICE, publicSpendKey]);
    expect(parts.saved.at(-1)?.subWalletIndexCounter).toBe(1);
  });

  test('that are imported leave the older funds where they are, and the chain is read again from their height', async () => {
    const { wallet, chain } = await open();
    chain.play(block(5, pay('old')), block(10, pay('new')));
    const bob = hashOf('bob');
    await wallet.importSubWallet(bob, 8);
    expect(wallet.snapshot.balance()).toEqual({ unlocked: 100n, locked: 0n });
    expect(chain.ledger.position().height).toBe(7);
    chain.play(block(10, pay('new'), pay('bob', 7n, bob)));
    expect(wallet.snapshot.balance()).toEqual({ unlocked: 207n, locked: 0n });
  });

  test('that lie above the tip, or are new, rewind nothing', async () => {
    const { wallet, chain } = await open();
    chain.play(block(5, pay('old')));
    await wallet.importSubWallet(hashOf('bob'), 6);
    await wallet.createSubWallet();
    expect(chain.ledger.position().height).toBe(5);
  });

  test('below the start of the wallet move it down', async () => {
    const content = emptyContent([emptySubWallet(ALICE)], { startHeight: 50 });
    const { wallet, chain } = await open(new FakeParts(content));
    await wallet.importSubWallet(hashOf('bob'), 60);
    expect(chain.ledger.scanStart()).toEqual({ height: 50, timestamp: 0 });
    await wallet.importDeterministicSubWallet(3n, 20);
    expect(chain.ledger.scanStart()).toEqual({ height: 20, timestamp: 0 });
  });

  test('go when they are told to', async () => {
    const { wallet } = await open();
    const { address } = await wallet.importViewSubWallet(hashOf('bob'), 0);
    await wallet.removeSubWallet(address);
    expect(wallet.snapshot.addresses).toEqual([`address of ${ALICE}`]);
    await expect(wallet.removeSubWallet(address)).rejects.toThrow('not there');
  });
});

test('a reset begins anew with no block coming in between, and is saved', async () => {
  const { parts, wallet, chain } = await open();
  chain.play(block(5, pay('a')));
  parts.log.length = 0;
  await wallet.reset(3);
  expect(parts.log).toEqual(['stop', 'start', 'save']);
  expect(wallet.snapshot.content).toMatchObject({ transactions: [], startHeight: 3, progress: { height: 0 } });
});

test('a reset that a lite node cannot serve is refused when it would lose transactions', async () => {
  const { wallet, chain } = await open();
  chain.play(block(5, pay('a')));
  chain.status = { ...chain.status, liteStartHeight: 6 };
  await expect(wallet.reset(3)).rejects.toThrow('62 6 3 1');
  await wallet.reset(6);
  await wallet.reset(3);
  expect(chain.ledger.scanStart().height).toBe(3);
});

test('another node takes over with the same progress, and the one before is let go', async () => {
  const { parts, wallet, chain } = await open();
  chain.play(block(5, pay('a')));
  await wallet.setNode('second');
  await wallet.refresh();
  expect(parts.log.slice(-4)).toEqual(['swap second', 'release first', 'swap second', 'refresh']);
  expect(wallet.snapshot.content.progress.height).toBe(5);
});

test('at the tip, locked outputs that nothing takes are free, and a long scan is saved', async () => {
  const { wallet: first, chain: firstChain } = await open();
  firstChain.play(block(1, pay('a')));
  const content = first.snapshot.content;
  const subWallets = content.subWallets.map((one) => ({ ...one, unspent: [], locked: one.unspent }));
  const { parts, wallet, chain } = await open(new FakeParts({ ...content, subWallets }));
  chain.emit('synced', 1);
  expect(wallet.snapshot.balance().unlocked).toBe(100n);
  expect(parts.saved).toEqual([]);
  chain.play(block(1_500));
  chain.emit('synced', 1_500);
  await new Promise(setImmediate);
  expect(parts.saved.at(-1)?.progress.height).toBe(1_500);
});

test('what is read again after a reorganisation is worth a save as it was before', async () => {
  const { parts, chain } = await open();
  chain.play(block(1_500));
  chain.emit('synced', 1_500);
  await new Promise(setImmediate);
  chain.ledger.rewind(100);
  chain.emit('rewound', 100);
  chain.play({ ...block(1_490), hash: hashOf('another branch') });
  chain.emit('synced', 1_490);
  await new Promise(setImmediate);
  expect(parts.saved.map(({ progress }) => progress.height)).toEqual([1_500, 1_490]);
});

test('closing gives up what is being built, finishes what has left, saves and lets go, once', async () => {
  const { parts, wallet, chain } = await open();
  chain.play(block(1, pay('a'), pay('b')));
  let accept = (): void => undefined;
  let reached = (): void => undefined;
  const relaying = new Promise<void>((resolve) => (reached = resolve));
  parts.onRelay = () =>
    new Promise((resolve) => {
      accept = () => resolve('accepted');
      reached();
    });
  const leaving = wallet.send({ amount: 1n });
  const waiting = wallet.send({ amount: 1n });
  const refused = expect(waiting).rejects.toThrow('closed');
  await relaying;
  const closed = wallet.close();
  accept();
  await Promise.all([leaving, refused, closed, wallet.close()]);
  expect(parts.log.slice(-4)).toEqual(['stop', 'save', 'close file', 'release first']);
  expect(parts.saved.at(-1)?.unconfirmed).toHaveLength(1);
  await expect(wallet.createSubWallet()).rejects.toThrow('closed');
});

test('closing lets go of the file also when it cannot save', async () => {
  const { parts, wallet } = await open();
  parts.onSave = () => Promise.reject(new Error('2'));
  await expect(wallet.close()).rejects.toThrow('2');
  expect(parts.log.slice(-2)).toEqual(['close file', 'release first']);
});

test('a node that cannot be followed leaves the file free', async () => {
  const parts = new FakeParts();
  parts.onFollow = () => {
    throw new RangeError('no such node');
  };
  await expect(Wallet.open(parts, settings)).rejects.toThrow('no such node');
  expect(parts.log).toEqual(['open a.wallet', 'close file']);
});

test('new wallets begin now, imported ones where they are told', async () => {
  const starts = await Promise.all([
    Wallet.create(new FakeParts(), settings),
    Wallet.importKeys(new FakeParts(), settings, { privateViewKey: '', privateSpendKey: '', scanHeight: 5 }),
    Wallet.importSeed(new FakeParts(), settings, { words: '', scanHeight: 6 }),
    Wallet.importView(new FakeParts(), settings, { privateViewKey: '', address: '', scanHeight: 7 }),
  ]);
  expect(
    starts.map(({ snapshot: { content } }) => [content.startHeight, content.startTimestamp, content.isViewWallet]),
  ).toEqual([
    [0, 1_800_000_000 - 7_200, false],
    [5, 0, false],
    [6, 0, false],
    [7, 0, true],
  ]);
});

test('password, export and the primary address', async () => {
  const { parts, wallet } = await open();
  expect([wallet.isPassword('secret'), wallet.isPassword('other')]).toEqual([true, false]);
  await wallet.changePassword('other');
  await wallet.exportPlain('plain.json');
  expect(parts.log.slice(-2)).toEqual(['password other', 'export plain.json']);
  expect(wallet.snapshot.primary?.publicSpendKey).toBe(ALICE);
});
