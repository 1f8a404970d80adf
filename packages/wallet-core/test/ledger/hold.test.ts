import type { HeldTransaction } from '../../src/ledger/held-transactions';
import { LedgerFault } from '../../src/ledger/model';
import { Ledger } from '../../src/ledger/ledger';
import type { SubWallet, WalletContent } from '../../src/ledger/model';
import { balanceOf, emptyContent, emptySubWallet } from './support/contents';
import { hashOf, type ModelTransaction, pendingOf, scannedBlock } from './support/model-chain';

/* Held transactions: their inputs are locked and their own outputs are expected. */

const ALICE = hashOf('alice');
const KEY = hashOf('output');
const OTHER_KEY = hashOf('other output');
const CHANGE = hashOf('change');
const HASH = hashOf('held');

const coinbase = (name: string, key: string, amount: bigint): ModelTransaction => ({
  hash: hashOf(name),
  isCoinbase: false,
  paymentId: '',
  takes: [],
  outputs: [{ key, amount, owner: ALICE }],
});

/** Spends 100 and pays 60 to others. */
const taking: ModelTransaction = {
  hash: HASH,
  isCoinbase: false,
  paymentId: '',
  takes: [{ key: KEY, amount: 100n }],
  outputs: [
    { key: hashOf('paid'), amount: 60n, owner: undefined },
    { key: CHANGE, amount: 40n, owner: ALICE },
  ],
};

const held: HeldTransaction = {
  hash: HASH,
  inputs: [KEY],
  ownOutputs: [{ publicSpendKey: ALICE, amount: 40n, key: CHANGE }],
};

function apply(ledger: Ledger, height: number, ...transactions: ModelTransaction[]): void {
  const names = transactions.map(({ hash }) => hash).join();
  const { block, found } = scannedBlock({ height, hash: hashOf(`${String(height)} ${names}`), transactions });
  ledger.apply(block, found, new Map());
}

/** Alice has outputs of 100 and 7. */
function funded(): Ledger {
  const ledger = new Ledger(emptyContent([emptySubWallet(ALICE)]));
  apply(ledger, 1, coinbase('first', KEY, 100n));
  apply(ledger, 2, coinbase('second', OTHER_KEY, 7n));
  return ledger;
}

const balance = (ledger: Ledger): object => balanceOf(ledger, 9, 0);

const alice = ({ subWallets }: WalletContent): SubWallet => subWallets[0]!;

/** The lists without their order. */
const lists = (content: WalletContent): object => {
  const { unspent, locked, unconfirmedIncoming } = alice(content);
  return {
    unspent: unspent.map(({ key, spendingTransactionHash }) => [key, spendingTransactionHash]).sort(),
    locked: locked.map(({ key, spendingTransactionHash }) => [key, spendingTransactionHash]).sort(),
    incoming: unconfirmedIncoming.map(({ key }) => key),
  };
};

const FREE = {
  unspent: [
    [KEY, undefined],
    [OTHER_KEY, undefined],
  ].sort(),
  locked: [],
  incoming: [],
};
const HELD = { unspent: [[OTHER_KEY, undefined]], locked: [[KEY, HASH]], incoming: [CHANGE] };

test('change is expected again after a reorganisation removed a larger copy of it', () => {
  const ledger = funded();
  ledger.hold(held);
  apply(ledger, 3, coinbase('copy', CHANGE, 50n));
  expect(lists(ledger.content())).toMatchObject({ incoming: [] });
  ledger.rewind(3);
  expect(lists(ledger.content())).toEqual(HELD);
});

test('inputs are locked and change is expected until the transaction is released', () => {
  const ledger = funded();
  ledger.hold(held);
  expect(lists(ledger.content())).toEqual(HELD);
  expect(balance(ledger)).toEqual({ unlocked: 7n, locked: 40n });
  ledger.unhold([hashOf('another')]);
  expect(lists(ledger.content())).toEqual(HELD);
  ledger.unhold([HASH]);
  expect(lists(ledger.content())).toEqual(FREE);
  expect(balance(ledger)).toEqual({ unlocked: 107n, locked: 0n });
});

test('inputs of a sub-wallet that is added again are locked', () => {
  const ledger = funded();
  ledger.hold(held);
  const content = ledger.content();
  ledger.removeSubWallet(ALICE);
  expect(balance(ledger)).toEqual({ unlocked: 0n, locked: 0n });
  ledger.addSubWallet(emptySubWallet(ALICE));
  ledger.rewind(0);
  apply(ledger, 1, coinbase('first', KEY, 100n));
  apply(ledger, 2, coinbase('second', OTHER_KEY, 7n));
  expect(lists(ledger.content())).toEqual(lists(content));
});

test('a second hold with fewer inputs and outputs unlocks nothing', () => {
  const ledger = funded();
  ledger.hold(held);
  ledger.removeSubWallet(ALICE);
  ledger.hold({ hash: HASH, inputs: [], ownOutputs: [] });
  ledger.addSubWallet(emptySubWallet(ALICE));
  ledger.rewind(0);
  apply(ledger, 1, coinbase('first', KEY, 100n));
  apply(ledger, 2, coinbase('second', OTHER_KEY, 7n));
  expect(lists(ledger.content())).toEqual(HELD);
  ledger.unhold([HASH]);
  expect(lists(ledger.content())).toEqual(FREE);
});

test('a container has no held transactions', () => {
  const ledger = funded();
  const before = ledger.content();
  expect(ledger.storedContent()).toEqual(before);
  ledger.hold(held);
  expect(lists(ledger.storedContent())).toEqual(FREE);
  expect(lists(ledger.content())).toEqual(HELD);
  // Expected change is left out as well.
  ledger.unhold([HASH]);
  ledger.hold({ ...held, inputs: [] });
  expect(lists(ledger.content())).toEqual({ ...FREE, incoming: [CHANGE] });
  expect(lists(ledger.storedContent())).toEqual(FREE);
});

test('held inputs stay locked when abandoned sends are released', () => {
  const ledger = funded();
  ledger.hold(held);
  ledger.releaseAbandoned();
  expect(lists(ledger.content())).toEqual(HELD);
});

test('another send cannot spend a held input; the same transaction can, and is then in the container', () => {
  const ledger = funded();
  const inputs = alice(ledger.content()).unspent.filter(({ key }) => key === KEY);
  const note = (transaction: ModelTransaction) =>
    pendingOf(
      transaction,
      inputs.map((output) => ({ owner: ALICE, output })),
    );
  ledger.hold(held);
  expect(() => ledger.recordSend(note({ ...taking, hash: hashOf('rival') }))).toThrow(LedgerFault);
  ledger.recordSend(note(taking));
  expect(lists(ledger.storedContent())).toEqual(HELD);
  // While it is a recorded send, a release changes nothing.
  ledger.unhold([HASH]);
  expect(lists(ledger.content())).toEqual(HELD);
  ledger.cancelSend(HASH);
  expect(lists(ledger.content())).toEqual(FREE);
});

test.each(['cancelSend', 'forgetSend'] as const)('after %s the transaction is held as before', (giveUp) => {
  const ledger = funded();
  const output = alice(ledger.content()).unspent.find(({ key }) => key === KEY)!;
  ledger.hold(held);
  ledger.recordSend(pendingOf(taking, [{ owner: ALICE, output }]));
  ledger[giveUp](HASH);
  expect(ledger.content().unconfirmed).toEqual([]);
  expect(lists(ledger.content())).toEqual(HELD);
  expect(lists(ledger.storedContent())).toEqual(FREE);
  ledger.unhold([HASH]);
  expect(lists(ledger.content())).toEqual(FREE);
});

test('a block with the transaction ends the hold', () => {
  const ledger = funded();
  ledger.hold(held);
  apply(ledger, 3, taking);
  expect(lists(ledger.content())).toEqual({
    unspent: [
      [CHANGE, undefined],
      [OTHER_KEY, undefined],
    ].sort(),
    locked: [],
    incoming: [],
  });
  expect(ledger.storedContent()).toEqual(ledger.content());
  // It is in a block: there is nothing to release.
  const before = ledger.content();
  ledger.unhold([HASH]);
  expect(ledger.content()).toEqual(before);
});

test('a held input is locked when its block is applied later', () => {
  const ledger = new Ledger(emptyContent([emptySubWallet(ALICE)]));
  ledger.hold(held);
  apply(ledger, 1, coinbase('first', KEY, 100n));
  apply(ledger, 2, coinbase('second', OTHER_KEY, 7n));
  expect(lists(ledger.content())).toEqual(HELD);
  expect(lists(ledger.storedContent())).toEqual(FREE);
});

test('a hold survives a reset: inputs are locked again when they are found', () => {
  const ledger = funded();
  ledger.hold(held);
  ledger.reset(0);
  expect(lists(ledger.content())).toEqual({ unspent: [], locked: [], incoming: [CHANGE] });
  apply(ledger, 1, coinbase('first', KEY, 100n));
  apply(ledger, 2, coinbase('second', OTHER_KEY, 7n));
  expect(lists(ledger.content())).toEqual(HELD);
});

test('an input of two held transactions is locked by the first, and unlocked when both are released', () => {
  const ledger = funded();
  const rival = { hash: hashOf('rival'), inputs: [KEY], ownOutputs: [] };
  ledger.hold(held);
  ledger.hold(rival);
  ledger.unhold([rival.hash]);
  expect(lists(ledger.content())).toEqual(HELD);
  ledger.hold(rival);
  ledger.unhold([HASH]);
  ledger.unhold([rival.hash]);
  expect(lists(ledger.content())).toEqual(FREE);
});

test('an input that another transaction spent in a block stays spent after the release', () => {
  const ledger = funded();
  ledger.hold(held);
  const rival = { ...taking, hash: hashOf('rival'), outputs: [{ key: hashOf('away'), amount: 99n, owner: undefined }] };
  apply(ledger, 3, rival);
  ledger.unhold([HASH]);
  expect(alice(ledger.content()).spent.map(({ key }) => key)).toEqual([KEY]);
  expect(lists(ledger.content())).toEqual({ unspent: [[OTHER_KEY, undefined]], locked: [], incoming: [] });
});

test('an own output is expected if a smaller copy of it is known', () => {
  const ledger = funded();
  ledger.hold({ ...held, ownOutputs: [{ publicSpendKey: ALICE, amount: 40n, key: OTHER_KEY }] });
  expect(ledger.content().subWallets.flatMap((one) => one.unconfirmedIncoming)).toMatchObject([{ amount: 40n }]);
});

test('outputs that are already known or belong to another wallet are not expected', () => {
  const ledger = funded();
  const output = { publicSpendKey: ALICE, amount: 1n, key: OTHER_KEY };
  ledger.hold({ ...held, ownOutputs: [output, { ...output, publicSpendKey: hashOf('nobody'), key: CHANGE }] });
  expect(lists(ledger.content())).toEqual({ ...HELD, incoming: [] });
});

test.each([undefined, hashOf('a send of another program')])(
  'inputs that another program locked stay locked in the container: %s',
  (spendingTransactionHash) => {
    const content = funded().content();
    const { unspent } = alice(content);
    const locked = [{ ...unspent[0]!, spendingTransactionHash }];
    const ledger = new Ledger({ ...content, subWallets: [{ ...alice(content), unspent: [], locked }] });
    expect(ledger.storedContent().subWallets[0]).toBe(ledger.content().subWallets[0]);
    ledger.hold({ ...held, inputs: [] });
    expect(alice(ledger.storedContent()).locked).toEqual(locked);
  },
);

test('of two held transactions with one output key the larger output is expected, then the other one', () => {
  const ledger = funded();
  const paying = (name: string, amount: bigint): HeldTransaction => {
    return { hash: hashOf(name), inputs: [], ownOutputs: [{ publicSpendKey: ALICE, amount, key: CHANGE }] };
  };
  for (const one of [paying('payment', 40n), paying('larger', 41n), paying('smaller', 1n)]) ledger.hold(one);
  expect(balance(ledger)).toEqual({ unlocked: 107n, locked: 41n });
  ledger.unhold([hashOf('larger')]);
  expect(balance(ledger)).toEqual({ unlocked: 107n, locked: 40n });
});
