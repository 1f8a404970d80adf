import { EventEmitter } from 'node:events';
import type { RawChainBlock } from '@wrkz/client';
import { encodeBlock, parseBlock, parseTransaction } from '@wrkz/core-types';
import { chainA, TestWallet, type TestWalletOutput } from '@wrkz/testing';
import { createdWallet, type Wallet, type WalletContent, WalletDb, type WalletTransaction } from '@wrkz/wallet-core';
import { ownPoolTransactions } from '../src/pool-transactions';
import { TransactionDetailsCache } from '../src/transaction-details';
import { serviceTransactions } from '../src/transaction-record';
import { scannable, type FindOutput } from '../src/blocks';
import { Folder } from './support/service';

/*
 * A stranger copies the public key and an output key of a transaction to the wallet. The wallet finds both outputs, but both
 * have the same key image, so that only one of them can be spent. A service that counts both is paid once and credits twice.
 */

const folder = new Folder();
const receiver = new TestWallet('receiver');
const publicSpendKey = receiver.spendPublic.toString('hex');
const spentBy = (name: string): TestWalletOutput => {
  const { spendPublic: publicKey, spendSecret: secretKey } = new TestWallet(name);
  return { amount: 500n, globalIndex: 1, publicKey, secretKey, height: 1, unlockTime: 0n };
};
const options = { fee: 0n, amounts: [500n] };
const original = receiver.prefix(spentBy('customer'), options);
const paying = receiver.sign(original, spentBy('customer'), options);
/** A copy of the output with another amount, signed by the stranger. */
const copyOf = (amount: bigint): Buffer => {
  const { inputs } = receiver.prefix(spentBy('stranger'), options);
  const outputs = original.outputs.map((output) => ({ ...output, amount }));
  return receiver.sign({ ...original, inputs, outputs }, spentBy('stranger'), options);
};
const copying = copyOf(500n);
const pooled = (serialized: Buffer): Parameters<typeof ownPoolTransactions>[0][number] => {
  const { hash, transaction } = parseTransaction(serialized);
  const outputs = transaction.outputs.map(({ amount, key }) => ({ amount, key: key.toString('hex') }));
  return { hash: hash.toString('hex'), extra: transaction.extra, unlockTime: 0n, inputs: [], outputs };
};
const [payment, copy] = [pooled(paying), pooled(copying)];
const dusting = copyOf(7n);
const dust = pooled(dusting);

const [{ key = '' } = {}] = payment.outputs;
const content: WalletContent = {
  ...createdWallet({ height: 0, timestamp: 0 }),
  privateViewKey: receiver.viewSecret.toString('hex'),
};
const [first] = content.subWallets;
if (first === undefined) throw new Error('the wallet has no address');
const subWallet = {
  ...first,
  publicSpendKey,
  privateSpendKey: receiver.spendSecret.toString('hex'),
  address: receiver.address,
};
const empty = { ...content, subWallets: [subWallet] };
const nothing: FindOutput = () => undefined;
const owning = (amount: bigint, facts: object): FindOutput =>
  ((one) => (one === key ? { key, amount, outputIndex: 0, spendHeight: 0, ...facts } : undefined)) as FindOutput;
const owned = owning(500n, { parentTransactionHash: payment.hash });
const ownedDust = { parentTransactionHash: dust.hash, amount: 7n, outputIndex: 0 };
const larger = { parentTransactionHash: payment.hash, amount: 500n, outputIndex: 0 };
const spentDust = owning(7n, { ...ownedDust, spendHeight: 3, replaced: [larger] });
const ownedAfterDust = owning(500n, { parentTransactionHash: payment.hash, replaced: [ownedDust] });

afterAll(() => folder.remove());

const hashesOf = async (...parameters: Parameters<typeof ownPoolTransactions>): Promise<string[]> =>
  (await ownPoolTransactions(...parameters)).map(({ transaction }) => transaction.hash);

test('a copy in the pool is not reported as a payment', async () => {
  expect(scannable(copy).transactionPublicKey).toBe(scannable(payment).transactionPublicKey);
  expect(await hashesOf([copy], empty, nothing)).toEqual([copy.hash]);
  expect(await hashesOf([payment, copy], empty, nothing)).toEqual([payment.hash]);
  const incoming = { amount: 500n, key, parentTransactionHash: payment.hash };
  const expecting = { ...empty, subWallets: [{ ...subWallet, unconfirmedIncoming: [incoming] }] };
  expect(await hashesOf([payment, copy], expecting, nothing)).toEqual([payment.hash]);
  expect(await hashesOf([payment, copy], empty, owned)).toEqual([payment.hash]);
});

test('outputs with one key are reported with the largest amount in sum', async () => {
  const amountsOf = async (
    added: (typeof payment)[],
    findOutput = nothing,
    wallet = empty,
  ): Promise<(bigint | undefined)[]> => {
    const found = await ownPoolTransactions(added, wallet, findOutput);
    expect(found.map(({ details }) => details.received?.get(publicSpendKey))).toEqual(
      found.map(({ transaction }) => transaction.transfers[0]?.amount),
    );
    return found.map(({ transaction }) => transaction.transfers[0]?.amount);
  };
  expect(await amountsOf([dust, payment])).toEqual([7n, 493n]);
  expect(await amountsOf([payment, dust])).toEqual([500n]);
  expect(await amountsOf([payment], owning(7n, ownedDust))).toEqual([493n]);
  expect(await amountsOf([payment], owning(7n, { ...ownedDust, spendHeight: 3 }))).toEqual([]);
  expect(await amountsOf([dust, payment, pooled(copyOf(20n))])).toEqual([7n, 493n]);
  const incoming = { amount: 500n, key, parentTransactionHash: payment.hash };
  const expecting = { ...empty, subWallets: [{ ...subWallet, unconfirmedIncoming: [incoming] }] };
  expect(await amountsOf([pooled(copyOf(20n)), payment], owning(7n, ownedDust), expecting)).toEqual([493n]);
});

test.each([
  [
    'a copy in a block has no transfer to the wallet, also if it was counted in the pool',
    [paying, copying],
    owned,
    [500n, 0n],
  ],
  ['a payment after a copy with dust is listed with the rest', [dusting, paying], ownedAfterDust, [7n, 493n]],
  ['a larger copy of a spent output has no transfer to the wallet', [dusting, paying], spentDust, [7n, 0n]],
])('%s', async (_, serialized, findOutput, amounts) => {
  const walletFile = folder.file(`${amounts.join('-')}.container`);
  const db = WalletDb.open({ walletFile, privateViewKey: '0b'.repeat(32), expected: undefined, now: 1 });
  const [, template] = chainA();
  const { block } = parseBlock(template?.block ?? Buffer.alloc(0));
  const transactionHashes = serialized.map((one) => parseTransaction(one).hash);
  const raw: RawChainBlock = { block: encodeBlock({ ...block, transactionHashes }), transactions: serialized };
  const listed = (hash: string, amount: bigint): WalletTransaction => ({
    ...{ hash, blockHeight: 1, transfers: [{ publicSpendKey, amount }], fee: 0n, timestamp: 0 },
    ...{ paymentId: '', unlockTime: 0n, isCoinbase: false },
  });
  const transactions = transactionHashes.map((hash, i) => listed(hash.toString('hex'), amounts[i] ?? 0n));
  let apply: (transaction: WalletTransaction, blockHash: string) => void = () => undefined;
  const wallet = {
    on: (name: string, listener: typeof apply) => void (name === 'transaction' && (apply = listener)),
    snapshot: { content: empty, subWallets: empty.subWallets },
    dbIfUsable: db,
    findOutput,
  } as never;
  const details = new TransactionDetailsCache({
    wallet,
    nodes: { rawBlocks: () => Promise.resolve([raw]) },
    warn: (text) => {
      throw new Error(text);
    },
  });
  const [found] = await ownPoolTransactions([copy], empty, nothing);
  if (found !== undefined) details.put(copy.hash, found.details);
  details.start();
  for (const transaction of transactions) apply(transaction, parseBlock(raw.block).hash.toString('hex'));
  await details.ensure(transactions);
  await details.stop();
  const record = serviceTransactions({ wallet, details });
  const transfersOf = (transaction: WalletTransaction): unknown =>
    record(transaction).transfers.filter(({ address }) => address !== '');
  const received = (amount: bigint): unknown[] =>
    amount === 0n ? [] : [{ address: receiver.address, amount, type: 0 }];
  expect(transactions.map(transfersOf)).toEqual(amounts.map(received));
  db.close();
});

test('a larger copy is not listed as received after a smaller one was spent, although the node fails', async () => {
  const walletFile = folder.file('spent.container');
  const db = WalletDb.open({ walletFile, privateViewKey: '0b'.repeat(32), expected: undefined, now: 1 });
  const wallet = Object.assign(new EventEmitter(), {
    snapshot: { content: { ...empty, transactions: [] }, subWallets: empty.subWallets },
    dbIfUsable: db,
  }) as never as Wallet;
  const details = new TransactionDetailsCache({
    wallet,
    nodes: { rawBlocks: () => Promise.reject(new Error('down')) },
    warn: () => undefined,
  });
  details.start();
  const stored = { extra: Buffer.alloc(0), inputs: 500n, outputs: 500n, blockHash: '0c'.repeat(32) };
  details.put(payment.hash, { ...stored, received: new Map([[publicSpendKey, 500n]]) });
  const transaction: WalletTransaction = {
    ...{ hash: payment.hash, blockHeight: 1, transfers: [{ publicSpendKey, amount: 0n }], fee: 0n, timestamp: 0 },
    ...{ paymentId: '', unlockTime: 0n, isCoinbase: false },
  };
  wallet.emit('transaction', transaction, undefined);
  await details.stop();
  const { transfers } = serviceTransactions({ wallet, details })(transaction);
  expect(transfers.filter(({ address }) => address === receiver.address)).toEqual([]);
  db.close();
});
