import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NodeClient, NodeFailure } from '@wrkz/client';
import { type Network, networkOf } from '@wrkz/core-types';
import { ChainSum, TestWallet, StandInNode } from '@wrkz/testing';
import { WalletClosed } from '../../src/errors';
import { PowClient } from '../../src/pow-client/pow-client';
import { FILE_SUFFIXES, walletDbName } from '../../src/wallet-db/wallet-db';
import { devnet, MoneyWallet } from './support/served';
import { TwoNodes } from './support/two-nodes';
import { importKeys } from '../support/imports';

/*
 * Faults of the reference that can lose money or report a wrong state. Each test uses a whole wallet (file, synchronization,
 * sending) and a node behind a proxy that can change responses.
 */

const NAMES = [
  'cancelled',
  'refused',
  'keeper',
  'mined',
  'overpaid',
  'uncertain',
  'lost',
  'vanished',
  'reorganised',
  'denied',
  'closed',
  'closing',
  'kept',
  'misled',
  'misled to nothing',
  'misled above',
  'full',
  'not removed',
  'removed',
  'unlocked',
  'unsent',
  'prepared',
  'broadcast',
  'reset',
  'above',
  'hanging',
  'foreign',
  'listener',
  'decoys',
  'included',
  'replaced',
  'added again',
  'added above',
  'given up',
  'copied',
];
const nodes = new TwoNodes();
const receiver = new TestWallet('receiver of faults');
const stranger = new TestWallet('stranger of faults');
const opened: MoneyWallet[] = [];
let front: StandInNode;

const ROUTES = {
  relay: '/sendrawtransaction',
  places: '/get_transactions_status',
  rawBlocks: '/getrawblocks',
};

beforeAll(async () => {
  await nodes.start();
  front = nodes.suite.closeAtEnd(await StandInNode.start(nodes.node.url));
  let turn = 0;
  await nodes.fund(() => new TestWallet(NAMES[turn++ % NAMES.length] ?? '').address, 3 * NAMES.length);
  await nodes.node.generate(stranger.address, 41);
});

afterEach(async () => {
  for (const path of [...Object.values(ROUTES), '/getwalletsyncdata']) front.off(path);
  await Promise.allSettled(opened.splice(0).map((wallet) => wallet.close()));
});

afterAll(() => nodes.stop());

async function open(name: string, network: Network = devnet): Promise<MoneyWallet> {
  const { viewSecret, spendSecret } = new TestWallet(name);
  const keys = {
    privateViewKey: viewSecret.toString('hex'),
    privateSpendKey: spendSecret.toString('hex'),
    scanHeight: 0,
  };
  const file = join(nodes.suite.folder(), `${name}.wallet`);
  const money = await MoneyWallet.begin(
    file,
    [front.port],
    (parts, settings) => importKeys(parts, settings, keys),
    network,
  );
  opened.push(money);
  await atTip(money);
  await indexed(money);
  return money;
}

const atTip = (money: MoneyWallet): Promise<void> => money.untilAt(nodes.node.height, nodes.node.tip);

/** Waits until all unspent outputs have global indexes, and so can be spent. */
const indexed = (money: MoneyWallet): Promise<void> =>
  money.until(
    () => money.primary.unspent.every(({ globalIndex }) => globalIndex !== undefined),
    () => 'the global indexes are missing',
  );

async function mine(...wallets: MoneyWallet[]): Promise<void> {
  await nodes.node.generate(stranger.address);
  await Promise.all(wallets.map(atTip));
}

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : 1);
const pay = (amount: bigint) => ({ destinations: [{ address: receiver.address, amount }] });
const balanceOf = (money: MoneyWallet) => money.wallet.snapshot.balance();
const unconfirmedOf = (money: MoneyWallet): string[] => money.wallet.snapshot.unconfirmed().map(({ hash }) => hash);

/** The balance of these keys according to the chain and the pool. */
async function summed(testWallet: TestWallet): Promise<bigint> {
  const sum = new ChainSum([testWallet]);
  await sum.follow(nodes.node, []);
  const { unlocked, locked } = sum.holding(testWallet, 0);
  return unlocked + locked;
}

/** The wallet reconnects, which makes it submit its pending transactions again. */
const untilPooled = async (money: MoneyWallet, hash: string): Promise<void> => {
  await money.wallet.refresh();
  await nodes.node.untilPool([hash]);
};

describe('a send that was reported as successful is resubmitted until it is mined', () => {
  const keepsSilent = (): unknown => front.on(ROUTES.relay, () => ({ json: { status: 'OK', error: '' } }));

  test('although the node dropped it', async () => {
    const money = await open('cancelled');
    const before = balanceOf(money);
    keepsSilent();
    const { hash, fee } = await money.wallet.send(pay(100_000n));
    expect(unconfirmedOf(money)).toEqual([hash]);
    front.off(ROUTES.relay);
    await untilPooled(money, hash);
    await mine(money);
    expect(money.wallet.snapshot.transaction(hash)).toMatchObject({ fee });
    const { unlocked, locked } = balanceOf(money);
    expect(unlocked + locked).toBe(before.unlocked + before.locked - 100_000n - fee);
  });

  test('although the node dropped it while the wallet was closed', async () => {
    const money = await open('closed');
    keepsSilent();
    const { hash } = await money.wallet.send(pay(50_000n));
    await money.wallet.close();
    front.off(ROUTES.relay);
    await money.reopen();
    await nodes.node.untilPool([hash]);
    await mine(money);
    expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
  });
});

test.each([
  ['included', 'its transaction', (hash: string) => hash],
  ['replaced', 'another transaction that spends its inputs', () => 'ab'.repeat(32)],
])(
  '%s: a node that reports %s in a block that does not have it does not end a send',
  async (name, _lie, reportedHash) => {
    const money = await open(name);
    const { wallet } = money;
    front.on(ROUTES.relay, () => ({ json: { status: 'OK', error: '' } }));
    // Without change: the block has no output of the wallet.
    const { entries } = await wallet.sweep({ destination: receiver.address });
    const [entry] = entries;
    const hash = entry?.success === true ? entry.transactionHash : '';
    const rings = wallet.db.sends.get(hash)?.signed?.rings ?? [];
    const reported = {
      ...{ hash: reportedHash(hash), outputs: [], paymentID: '', txPublicKey: '00'.repeat(32), unlockTime: 0 },
      inputs: rings.map(({ keyImage }) => ({ k_image: keyImage, amount: 1 })),
    };
    expect(rings.length).toBeGreaterThan(0);
    const height = nodes.node.height;
    front.on('/getwalletsyncdata', async ({ body }, behind) => {
      const { status, json } = await behind({ ...body, encoding: undefined });
      for (const block of (json['items'] ?? []) as { blockHeight: number; transactions: object[] }[]) {
        if (block.blockHeight > height) block.transactions.push(reported);
      }
      return { status, json };
    });
    await nodes.node.generate(stranger.address);
    await money.until(
      () => wallet.syncStatus.stall?.code === 'nodeHostile',
      () => 'the wallet believes the node',
    );
    expect(wallet.db.sends.get(hash)?.state).toBe('pending');
    front.off('/getwalletsyncdata');
    front.off(ROUTES.relay);
    await untilPooled(money, hash);
    await mine(money);
    expect(wallet.snapshot.transaction(hash)).toBeDefined();
  },
);

test('change stays expected after larger and smaller copies of it were in the pool', async () => {
  const money = await open('copied');
  front.on(ROUTES.relay, () => ({ json: { status: 'OK', error: '' } }));
  const { pending } = await money.wallet.send(pay(10_000n));
  const expected = money.primary.unconfirmedIncoming.toSorted(byKey);
  const ownOutputs = (more: bigint) => pending.ownOutputs.map((one) => ({ ...one, amount: one.amount + more }));
  const copies = [-1n, 1n].map((more, i) => ({ hash: `${i}`.repeat(64), inputs: [], ownOutputs: ownOutputs(more) }));
  for (const copy of copies) money.wallet.hold([copy]);
  expect(money.primary.unconfirmedIncoming.map(({ amount }) => amount - 1n).toSorted()).toEqual(
    expected.map(({ amount }) => amount).toSorted(),
  );
  for (const { hash } of copies.toReversed()) money.wallet.unhold([hash]);
  expect(money.primary.unconfirmedIncoming.toSorted(byKey)).toEqual(expected);
});

test('after a reset a new send does not spend the inputs of a pending one', async () => {
  const money = await open('reset');
  front.on(ROUTES.relay, () => ({ json: { status: 'OK', error: '' } }));
  const { hash, pending } = await money.wallet.send(pay(10_000n));
  await money.wallet.reset(0);
  await atTip(money);
  await indexed(money);
  const reserved = new Set(pending.inputs.map(({ output }) => output.key));
  const other = await money.wallet.prepare(pay(10_000n));
  expect(other.pending.inputs.filter(({ output }) => reserved.has(output.key))).toEqual([]);
  front.off(ROUTES.relay);
  await untilPooled(money, hash);
  await mine(money);
  expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
});

test('a reset above the inputs of a refused send does not block its address', async () => {
  const money = await open('above');
  front.on(ROUTES.relay, () => ({ json: { status: 'Failed', error: 'no room' } }));
  await expect(money.wallet.send(pay(10_000n))).rejects.toMatchObject({ code: 31 });
  front.off(ROUTES.relay);
  const [refused] = money.wallet.db.sends.all(['refused']);
  const heights = refused?.signed?.pending.inputs.map(({ output }) => output.blockHeight) ?? [];
  await money.wallet.reset(Math.max(...heights) + 1);
  await atTip(money);
  await indexed(money);
  const { pending } = await money.wallet.send(pay(10_000n));
  const keys = refused?.signed?.pending.inputs.map(({ output }) => output.key);
  expect(pending.inputs.some(({ output }) => keys?.includes(output.key))).toBe(true);
  await mine(money);
});

test('a pending send that is given up after a reset above its inputs does not block its address', async () => {
  const money = await open('given up');
  front.on(ROUTES.relay, () => ({ json: { status: 'OK', error: '' } }));
  const { hash, pending } = await money.wallet.send(pay(10_000n));
  const inputs = pending.inputs.map(({ output }) => output);
  await nodes.node.generate(money.primary.address);
  await nodes.node.generate(stranger.address, 41);
  await money.wallet.reset(Math.max(...inputs.map(({ blockHeight }) => blockHeight)) + 1);
  await atTip(money);
  await indexed(money);
  expect(await money.wallet.giveUp(hash, 'a test')).toBe(true);
  await atTip(money);
  await indexed(money);
  front.off(ROUTES.relay);
  const replacement = await money.wallet.send(pay(10_000n));
  const keys = inputs.map(({ key }) => key);
  expect(replacement.pending.inputs.some(({ output }) => keys.includes(output.key))).toBe(true);
  await mine(money);
});

/** A wallet whose second address has three outputs, and a send of this address. The node responds with `relay`. */
async function withSecondAddress(name: string, relay: object) {
  const money = await open(name);
  const { wallet } = money;
  const { address, privateSpendKey = '' } = await wallet.createSubWallet();
  await nodes.node.generate(address, 3);
  await nodes.node.generate(stranger.address, 41);
  await atTip(money);
  await indexed(money);
  front.on(ROUTES.relay, () => ({ json: relay }));
  const request = { ...pay(10_000n), sourceAddresses: [address] };
  await wallet.send(request).catch(() => undefined);
  front.off(ROUTES.relay);
  const [send] = wallet.db.sends.all();
  const inputs = send?.signed?.pending.inputs.map(({ output }) => output) ?? [];
  const addAgain = async (scanHeight: number): Promise<void> => {
    await wallet.removeSubWallet(address);
    await wallet.importSubWallet(privateSpendKey, scanHeight);
    await atTip(money);
    await indexed(money);
  };
  return { money, request, hash: send?.hash ?? '', inputs, addAgain };
}

test('a new send does not spend the inputs of a pending one after their address was removed and added again', async () => {
  const { money, request, hash, inputs, addAgain } = await withSecondAddress('added again', {
    status: 'OK',
    error: '',
  });
  await addAgain(0);
  expect(unconfirmedOf(money)).toEqual([hash]);
  const other = await money.wallet.prepare(request);
  const keys = inputs.map(({ key }) => key);
  expect(other.pending.inputs.filter(({ output }) => keys.includes(output.key))).toEqual([]);
  await untilPooled(money, hash);
  await mine(money);
  expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
});

test('an address added again above the inputs of its refused send can send', async () => {
  const refusal = { status: 'Failed', error: 'no room' };
  const { money, request, inputs, addAgain } = await withSecondAddress('added above', refusal);
  await addAgain(Math.max(...inputs.map(({ blockHeight }) => blockHeight)) + 1);
  const { pending } = await money.wallet.send({ ...request, sourceAddresses: [] });
  const keys = inputs.map(({ key }) => key);
  expect(pending.inputs.some(({ output }) => keys.includes(output.key))).toBe(true);
  await mine(money);
});

test('the inputs of a send of another wallet program are unlocked when the node has not had it for 60 blocks', async () => {
  const money = await open('foreign');
  const events: unknown[] = [];
  const before = balanceOf(money);
  front.on(ROUTES.relay, () => ({ json: { status: 'OK', error: '' } }));
  const { hash } = await money.wallet.send(pay(10_000n));
  await money.wallet.close();
  for (const suffix of FILE_SUFFIXES) rmSync(walletDbName(money.file) + suffix, { force: true });
  await money.reopen();
  money.wallet.on('event', ({ kind, transaction }) => events.push([kind, transaction]));
  await mine(money);
  await nodes.node.generate(stranger.address, 59);
  await atTip(money);
  expect(unconfirmedOf(money)).toEqual([hash]);
  expect(balanceOf(money)).not.toEqual(before);
  // The count begins at the block after the first status from the node.
  for (let i = 0; i < 10 && unconfirmedOf(money).length > 0; i++) await mine(money);
  expect(unconfirmedOf(money)).toEqual([]);
  expect(balanceOf(money)).toEqual(before);
  expect(events).toContainEqual(['send-given-up', hash]);
});

describe('a send that a node refused is never paid twice', () => {
  const refusing = (): unknown => front.on(ROUTES.relay, () => ({ json: { status: 'Failed', error: 'no room' } }));

  test('its inputs are unlocked, and a repeated send spends one of them', async () => {
    const money = await open('refused');
    const before = balanceOf(money);
    refusing();
    await expect(money.wallet.send(pay(100_000n))).rejects.toMatchObject({ code: 31, message: 'no room' });
    expect([balanceOf(money), unconfirmedOf(money)]).toEqual([before, []]);
    await money.reopen();
    await atTip(money);
    await indexed(money);
    expect(balanceOf(money)).toEqual(before);
    const [refused] = money.wallet.db.sends.all(['refused']);
    const refusedInputs = new Set(refused?.signed?.pending.inputs.map(({ output }) => output.key));
    front.off(ROUTES.relay);
    const { pending } = await money.wallet.send(pay(100_000n));
    expect(pending.inputs.some(({ output }) => refusedInputs.has(output.key))).toBe(true);
    await mine(money);
    expect(money.wallet.snapshot.transaction(pending.hash)).toBeDefined();
  });

  test('a node that stored the refused bytes cannot mine both them and the repeated send', async () => {
    const money = await open('keeper');
    const paidBefore = await summed(receiver);
    refusing();
    await expect(money.wallet.send(pay(60_000n))).rejects.toMatchObject({ code: 31 });
    front.off(ROUTES.relay);
    const [refused] = money.wallet.db.sends.all(['refused']);
    await money.wallet.send(pay(60_000n));
    // The node submits the stored bytes: its own pool refuses the second of the two transactions.
    await nodes.node.post('/sendrawtransaction', { tx_as_hex: refused?.signed?.bytes.toString('hex') });
    await mine(money);
    expect((await summed(receiver)) - paidBefore).toBe(60_000n);
  });

  test('a retry that reaches no node does not remove it from the wallet', async () => {
    const money = await open('unsent');
    refusing();
    await expect(money.wallet.send(pay(60_000n))).rejects.toMatchObject({ code: 31 });
    const [refused] = money.wallet.db.sends.all(['refused']);
    const submit = jest.spyOn(NodeClient.prototype, 'sendTransaction');
    submit.mockRejectedValue(new NodeFailure('unreachable', 'is away', { isUnsent: true }));
    await expect(money.wallet.resubmit(refused?.hash ?? '')).rejects.toMatchObject({ code: 30 });
    submit.mockRestore();
    front.off(ROUTES.relay);
    expect(money.wallet.db.sends.all(['refused'])).toEqual([refused]);
    const { pending } = await money.wallet.send(pay(60_000n));
    const refusedInputs = refused?.signed?.pending.inputs.map(({ output }) => output.key);
    expect(pending.inputs.some(({ output }) => refusedInputs?.includes(output.key))).toBe(true);
    await mine(money);
  });

  test('a prepared transaction with other inputs is not paid in addition', async () => {
    const money = await open('prepared');
    const other = await money.wallet.prepare(pay(60_000n));
    refusing();
    // A prepared transaction locks nothing. Its inputs are locked here, so that the send spends other ones.
    money.wallet.hold([
      { hash: other.hash, inputs: other.pending.inputs.map(({ output }) => output.key), ownOutputs: [] },
    ]);
    await expect(money.wallet.send(pay(60_000n))).rejects.toMatchObject({ code: 31 });
    money.wallet.unhold([other.hash]);
    front.off(ROUTES.relay);
    await expect(money.wallet.sendPrepared(other.hash)).rejects.toMatchObject({ code: 1007 });
    expect(nodes.node.pool()).toEqual([]);
  });

  test('is listed with its key and an event when it is mined after all', async () => {
    const money = await open('mined');
    const events: string[] = [];
    money.wallet.on('event', ({ kind }) => events.push(kind));
    refusing();
    await expect(money.wallet.send(pay(60_000n))).rejects.toMatchObject({ code: 31 });
    front.off(ROUTES.relay);
    const [refused] = money.wallet.db.sends.all(['refused']);
    await nodes.node.post('/sendrawtransaction', { tx_as_hex: refused?.signed?.bytes.toString('hex') });
    await mine(money);
    const hash = refused?.hash ?? '';
    expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
    expect(money.wallet.snapshot.transactionKey(hash)).toBe(refused?.signed?.pending.transactionSecretKey);
    expect(events).toContain('contested-send-mined');
  });
});

test('a first submission is not broadcast to other nodes while its outcome is unknown', async () => {
  const money = await open('broadcast');
  const { wallet } = money;
  const submit = jest.spyOn(NodeClient.prototype, 'sendTransaction');
  submit.mockImplementationOnce(async () => {
    // The wallet loses its node and reconnects, which makes it submit its pending transactions again.
    front.on('/info', () => (response) => void response.destroy());
    await money.until(
      () => wallet.syncStatus.stall !== undefined,
      () => 'the wallet does not notice that its node is away',
    );
    front.off('/info');
    // The second request is sent after the response to the first one.
    const requests = front.requestsTo('/info').length;
    await money.until(
      () => front.requestsTo('/info').length > requests + 1,
      () => 'the wallet does not reconnect',
    );
    throw new NodeFailure('unreachable', 'is away', { isUnsent: true });
  });
  await expect(wallet.send(pay(10_000n))).rejects.toMatchObject({ code: 30 });
  expect(submit).toHaveBeenCalledTimes(1);
  submit.mockRestore();
  expect(nodes.node.pool()).toEqual([]);
});

test('a close waits at most briefly for a node that hangs during a submission', async () => {
  const money = await open('hanging');
  front.on(ROUTES.relay, () => () => undefined);
  const submit = jest.spyOn(NodeClient.prototype, 'sendTransaction');
  const outcome = money.wallet.send(pay(10_000n)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await money.until(
    () => unconfirmedOf(money).length > 0,
    () => 'the send is not recorded',
  );
  await money.close();
  // A close without a limit would wait until the client reports a timeout.
  expect(submit.mock.calls.map(([, signal]) => signal?.aborted)).toEqual([true]);
  submit.mockRestore();
  expect(await outcome).toMatchObject({ code: 55 });
  front.off(ROUTES.relay);
  const [hash = ''] = await money.reopen().then(() => unconfirmedOf(money));
  await nodes.node.untilPool([hash]);
  await mine(money);
});

test('a send whose proof of work is cancelled by the close reports the closed wallet', async () => {
  const money = await open('closing');
  const { findNonce } = PowClient.prototype;
  let closed: Promise<void> | undefined;
  jest.spyOn(PowClient.prototype, 'findNonce').mockImplementationOnce(function (this: PowClient, request) {
    const found = findNonce.call(this, request);
    closed = money.wallet.close();
    return found;
  });
  await expect(money.wallet.send(pay(50_000n))).rejects.toBeInstanceOf(WalletClosed);
  await closed;
});

test('while the disk is full nothing changes: a give-up, a pause and a send are refused', async () => {
  const money = await open('full');
  front.on(ROUTES.relay, () => ({ json: { status: 'OK', error: '' } }));
  const { wallet } = money;
  const { hash } = await wallet.send(pay(10_000n));
  const before = balanceOf(money);
  const { db } = wallet;
  const transaction = db.transaction.bind(db);
  const write = jest.spyOn(db, 'transaction').mockImplementation((work) =>
    transaction(() => {
      work();
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    }),
  );
  await expect(wallet.giveUp(hash, 'a test')).rejects.toMatchObject({ code: 2 });
  expect(() => wallet.pause.set('operator', 'a test')).toThrow(expect.objectContaining({ code: 2 }));
  await expect(wallet.send(pay(20_000n))).rejects.toMatchObject({ code: 2 });
  write.mockRestore();
  front.off(ROUTES.relay);
  await untilPooled(money, hash);
  expect(unconfirmedOf(money)).toEqual([hash]);
  expect(balanceOf(money)).toEqual(before);
  expect(wallet.pause.current).toBeUndefined();
  await mine(money);
  expect(wallet.snapshot.transaction(hash)).toBeDefined();
});

test('an address whose removal cannot be stored stays', async () => {
  const { wallet } = await open('not removed');
  const { address } = await wallet.createSubWallet();
  for (const write of ['append', 'putProgress'] as const) {
    jest.spyOn(wallet.db.log, write).mockImplementation(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
  }
  await expect(wallet.removeSubWallet(address)).rejects.toMatchObject({ code: 2 });
  jest.restoreAllMocks();
  expect(wallet.snapshot.subWallets.map((one) => one.address)).toContain(address);
});

test.each([
  ['file', '.db', 'removed'],
  ['lock file', '.db.lock', 'unlocked'],
])('a send is refused while the %s of the wallet database is missing', async (_, suffix, name) => {
  const money = await open(name);
  const { wallet } = money;
  const [path, moved] = [money.file + suffix, `${money.file}.elsewhere`];
  renameSync(path, moved);
  await expect(wallet.send(pay(10_000n))).rejects.toMatchObject({ code: 2 });
  expect(unconfirmedOf(money)).toEqual([]);
  await wallet.save();
  renameSync(moved, path);
  const { hash } = await wallet.send(pay(10_000n));
  expect(unconfirmedOf(money)).toEqual([hash]);
  await mine(money);
});

test('an error of a listener fails neither a recorded send nor later blocks', async () => {
  const money = await open('listener');
  const { wallet } = money;
  const warnings: string[] = [];
  wallet.on('warning', (text) => warnings.push(text));
  for (const event of ['event', 'transaction'] as const) {
    wallet.on(event, () => {
      throw new Error(`no space for the ${event}`);
    });
  }
  const { hash } = await wallet.send(pay(30_000n));
  await mine(money);
  expect(wallet.snapshot.transaction(hash)).toBeDefined();
  expect(new Set(warnings)).toEqual(
    new Set(['event', 'transaction'].map((event) => `a listener of the wallet failed: no space for the ${event}`)),
  );
});

/** The node sends other global indexes with the bytes of blocks. */
function misindex(change: (index: number) => number): void {
  front.on(ROUTES.rawBlocks, async (_request, behind) => {
    const { json } = await behind();
    const items = (json['items'] as { globalIndexes: number[][] }[]).map((item) => ({
      ...item,
      globalIndexes: item.globalIndexes.map((list) => list.map(change)),
    }));
    return { json: { ...json, items } };
  });
}

test.each<[string, string, (index: number) => number]>([
  ['of other outputs', 'misled', (index) => (index === 0 ? 1 : index - 1)],
  ['of no outputs', 'misled to nothing', (index) => index + 1_000],
])(
  'wrong global indexes %s are corrected after a refusal, and the repeated send is mined',
  async (_kind, name, change) => {
    misindex(change);
    const money = await open(name);
    const events: string[] = [];
    money.wallet.on('event', ({ kind }) => events.push(kind));
    front.off(ROUTES.rawBlocks);
    await expect(money.wallet.send(pay(60_000n))).rejects.toMatchObject({ code: 31 });
    expect(events).toContain('indexes-corrected');
    const [refused] = money.wallet.db.sends.all(['refused']);
    // Undefined: the caller must rebuild the send.
    expect(await money.wallet.resubmit(refused?.hash ?? '')).toBeUndefined();
    // The indexes of all outputs are corrected at once, not only those of the refused inputs.
    const { hash } = await money.wallet.send(pay(60_000n));
    await mine(money);
    expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
  },
);

test('global indexes above 32 bits, which no transaction can contain, are requested again', async () => {
  misindex((index) => index + 2 ** 32);
  const money = await open('misled above');
  const { hash } = await money.wallet.send(pay(60_000n));
  await mine(money);
  expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
});

test('a sweep of an amount does not overpay', async () => {
  const zone = 3_000;
  const tight: Network = {
    ...networkOf('devnet'),
    rulesAt: (height) => ({ ...devnet.rulesAt(height), fullRewardZone: zone }),
  };
  const money = await open('overpaid', tight);
  const { unlocked } = balanceOf(money);
  const amount = (unlocked * 7n) / 8n;
  const payee = new TestWallet('payee of a sweep');
  const { entries, paid, unpaid, fees } = await money.wallet.sweep({ destination: payee.address, amount });
  expect(entries.length).toBeGreaterThan(1);
  expect(entries.every(({ success }) => success)).toBe(true);
  expect([paid, unpaid]).toEqual([amount, 0n]);
  await mine(money);
  expect(await summed(payee)).toBe(amount);
  expect(balanceOf(money).unlocked + balanceOf(money).locked).toBe(unlocked - amount - fees);
});

describe('error 55, for an uncertain submission', () => {
  const destroyed = (response: { destroy(): unknown }): void => void response.destroy();

  test('is thrown if the response was lost and no node reports the transaction: nothing is paid twice or lost', async () => {
    const money = await open('uncertain');
    const whole = balanceOf(money);
    const paidBefore = await summed(receiver);
    front.on(ROUTES.relay, async (_asked, behind) => (await behind(), destroyed));
    front.on(ROUTES.places, () => destroyed);
    await expect(money.wallet.send(pay(70_000n))).rejects.toMatchObject({ code: 55 });
    const [hash] = unconfirmedOf(money);
    expect(nodes.node.pool()).toEqual([hash]);
    // The inputs stay locked, so a second attempt of a caller pays from other inputs.
    const locked = money.primary.locked.map(({ key }) => key);
    expect(locked.length).toBeGreaterThan(0);
    const { pending } = await money.wallet.prepare(pay(70_000n));
    expect(pending.inputs.filter(({ output }) => locked.includes(output.key))).toEqual([]);
    await money.reopen();
    expect(unconfirmedOf(money)).toEqual([hash]);
    for (const path of Object.values(ROUTES)) front.off(path);
    await mine(money);
    expect(unconfirmedOf(money)).toEqual([]);
    expect((await summed(receiver)) - paidBefore).toBe(70_000n);
    const { fee } = money.wallet.snapshot.transaction(hash ?? '') ?? { fee: 0n };
    expect(balanceOf(money).unlocked + balanceOf(money).locked).toBe(whole.unlocked + whole.locked - 70_000n - fee);
  });

  test('is not thrown if a node closes idle connections at that moment: a send has its own connection', async () => {
    const money = await open('kept');
    front.on(ROUTES.relay, async ({ isReused }, behind) => (isReused ? destroyed : behind()));
    const { hash } = await money.wallet.send(pay(70_000n));
    expect(nodes.node.pool()).toContain(hash);
    await mine(money);
  });

  test('is thrown if the transaction did not arrive: it is resubmitted until it is mined', async () => {
    const money = await open('lost');
    front.on(ROUTES.relay, () => destroyed);
    await expect(money.wallet.send(pay(70_000n))).rejects.toMatchObject({ code: 55 });
    const [hash = ''] = unconfirmedOf(money);
    front.off(ROUTES.relay);
    await untilPooled(money, hash);
    await mine(money);
    expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
  });
});

test('older funds remain after an import of an address', async () => {
  const money = await open('vanished');
  const { hash } = await money.wallet.send(pay(10_000n));
  const before = balanceOf(money);
  const transactions = money.wallet.snapshot.transactions();
  const other = new TestWallet('imported beside');
  const late = nodes.node.height - 20;
  await money.wallet.importSubWallet(other.spendSecret.toString('hex'), late);
  await atTip(money);
  // Outputs below the scan height of the new key remain, and so do sends and their keys.
  expect(balanceOf(money)).toEqual(before);
  expect(money.wallet.snapshot.transactions()).toEqual(transactions);
  expect(unconfirmedOf(money)).toEqual([hash]);
  expect(money.wallet.snapshot.transactionKey(hash)).toBeDefined();
  await nodes.node.generate(money.wallet.snapshot.addresses[1] ?? '');
  await atTip(money);
  const { viewSecret } = new TestWallet('vanished');
  const held = await summed(new TestWallet({ spendSecret: other.spendSecret, viewSecret }));
  const imported = money.wallet.snapshot.balance([other.spendPublic.toString('hex')]);
  expect(imported).toEqual({ unlocked: 0n, locked: held });
  expect(held).toBeGreaterThan(0n);
});

test('inputs are not unspent by a reorganisation whose spend is back in the pool', async () => {
  const money = await open('reorganised');
  const { unlocked } = balanceOf(money);
  await nodes.cut();
  const paidBefore = await summed(receiver);
  const swept = await money.wallet.sweep({ destination: receiver.address });
  const hashes = swept.entries.flatMap((entry) => (entry.success ? [entry.transactionHash] : []));
  expect(swept.left).toEqual({ outputs: 0, amount: 0n });
  await mine(money);
  expect(balanceOf(money)).toEqual({ unlocked: 0n, locked: 0n });
  await nodes.rival.generate(stranger.address, 2);
  await nodes.join();
  await nodes.node.untilPool(hashes);
  await atTip(money);
  // All sends are pending again: no output is unlocked, and the wallet refuses without a request to the node.
  expect(unconfirmedOf(money).sort()).toEqual(hashes.sort());
  expect(balanceOf(money)).toEqual({ unlocked: 0n, locked: 0n });
  await expect(money.wallet.send(pay(1n))).rejects.toMatchObject({ code: 11 });
  await money.reopen();
  await atTip(money);
  await expect(money.wallet.send(pay(1n))).rejects.toMatchObject({ code: 11 });
  await mine(money);
  expect((await summed(receiver)) - paidBefore).toBe(unlocked - swept.fees);
  expect(unconfirmedOf(money)).toEqual([]);
});

describe('nodes with false responses', () => {
  test('a rejection of a transaction that is in the pool counts as a send', async () => {
    const money = await open('denied');
    front.on(ROUTES.relay, async (_asked, behind) => {
      await behind();
      return { json: { status: 'Failed', error: 'I do not want it' } };
    });
    const { hash } = await money.wallet.send(pay(30_000n));
    expect(nodes.node.pool()).toContain(hash);
    await mine(money);
    expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
  });

  test('a reorganisation between build and relay that removes the inputs gives error 57, and nothing is submitted', async () => {
    const taker = new TestWallet('paid on one branch');
    await nodes.cut();
    await nodes.node.generate(taker.address);
    await nodes.node.generate(stranger.address, 40);
    const money = await open('paid on one branch');
    const { hash } = await money.wallet.prepare(pay(1_000n));
    await nodes.rival.generate(stranger.address, 42);
    await nodes.join();
    await atTip(money);
    expect(balanceOf(money)).toEqual({ unlocked: 0n, locked: 0n });
    await expect(money.wallet.sendPrepared(hash)).rejects.toMatchObject({ code: 57 });
    expect([nodes.node.pool(), unconfirmedOf(money)]).toEqual([[], []]);
    await nodes.node.generate(taker.address);
    await atTip(money);
    expect(balanceOf(money).locked).toBe(await summed(taker));
  });
});

/* Retries reuse a stored ring. One with false decoys must be replaced, because every send would spend its input. */
test('an input with false decoys can be spent after an honest node has rejected them three times', async () => {
  const money = await open('decoys');
  const path = '/getrandom_outs';
  front.on(path, async (_request, behind) => {
    const { status, json } = await behind();
    type Outs = { outs: { global_amount_index: number }[] }[];
    for (const { outs } of json['outs'] as Outs) for (const out of outs) out.global_amount_index += 1;
    return { status, json };
  });
  const events: string[] = [];
  money.wallet.on('event', ({ kind }) => events.push(kind));
  await expect(money.wallet.send(pay(70_000n))).rejects.toMatchObject({ code: 31 });
  const [refused] = money.wallet.db.sends.all(['refused']);
  front.off(path);
  for (let i = 0; i < 2; i++) {
    await expect(money.wallet.resubmit(refused?.hash ?? '')).rejects.toMatchObject({ code: 31 });
  }
  expect(events).toContain('ring-replaced');
  // Undefined: the caller must rebuild the send.
  expect(await money.wallet.resubmit(refused?.hash ?? '')).toBeUndefined();
  const { hash } = await money.wallet.send(pay(70_000n));
  await mine(money);
  expect(money.wallet.snapshot.transaction(hash)).toBeDefined();
});
