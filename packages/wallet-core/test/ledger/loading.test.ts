import { Ledger } from '../../src/ledger/ledger';
import { emptyContent, emptySubWallet } from './support/contents';
import { hashOf } from './support/model-chain';

const OWNER = hashOf('owner');
const COUNT = 500;

/** A wallet with this number of outputs, transactions, retired keys and transaction keys each. */
function largeContent() {
  const names = Array.from({ length: COUNT }, (_, i) => String(i));
  const unspent = names.map((name, i) => ({
    keyImage: hashOf(`image ${name}`),
    amount: 1n,
    blockHeight: i + 1,
    transactionPublicKey: hashOf(`transaction key ${name}`),
    outputIndex: 0,
    globalIndex: i + 1,
    key: hashOf(`key ${name}`),
    spendHeight: 0,
    unlockTime: 0n,
    parentTransactionHash: hashOf(name),
    privateEphemeral: hashOf(`secret ${name}`),
    spendingTransactionHash: undefined,
  }));
  const transactions = names.map((name, i) => ({
    transfers: [{ publicSpendKey: OWNER, amount: 1n }],
    hash: hashOf(name),
    fee: 0n,
    blockHeight: i + 1,
    timestamp: i,
    paymentId: '',
    unlockTime: 0n,
    isCoinbase: false,
  }));
  const retiredKeys = names.map((name) => hashOf(`retired ${name}`));
  const transactionKeys = names.map((name) => ({ transactionHash: hashOf(name), secretKey: hashOf(`r ${name}`) }));
  return emptyContent([emptySubWallet(OWNER, { unspent, retiredKeys })], { transactions, transactionKeys });
}

test('loading can be interrupted at each record and gives the same ledger', () => {
  const content = largeContent();
  const loading = Ledger.loading(content);
  let steps = 0;
  let step = loading.next();
  for (; step.done !== true; step = loading.next()) steps++;
  expect(steps).toBeGreaterThanOrEqual(4 * COUNT);
  expect(step.value.content()).toEqual(new Ledger(content).content());
  expect(step.value.content()).toMatchObject({ transactions: content.transactions, subWallets: content.subWallets });
});

test('an unchanged list of outputs is the same array in the next content', () => {
  const ledger = new Ledger(largeContent());
  const [before] = ledger.content().subWallets;
  ledger.recordSend({
    hash: hashOf('send'),
    inputs: [{ output: before?.unspent[0] as never, publicSpendKey: OWNER }],
    ownOutputs: [],
    fee: 1n,
    paymentId: '',
    unlockTime: 0n,
    transactionSecretKey: hashOf('r'),
    transfers: [{ publicSpendKey: OWNER, amount: -1n }],
  });
  const [after] = ledger.content().subWallets;
  expect(after?.locked).toHaveLength(1);
  expect(after?.unspent).toHaveLength(COUNT - 1);
  expect(after?.spent).toBe(before?.spent);
  expect(after?.retiredKeys).toBe(before?.retiredKeys);
  expect(before?.unspent).toHaveLength(COUNT);
});
