import { createHash } from 'node:crypto';
import type { SyncTransaction, SyncBlock } from '@wrkz/client';
import type { OwnOutputFound } from '../../../src/ledger/model';
import type { PendingSend } from '../../../src/ledger/model';
import type { WalletContent, WalletOutput } from '../../../src/ledger/model';

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const imageOf = (key: string): string => hashOf(`image of ${key}`);

export interface ModelOutput {
  readonly key: string;
  readonly amount: bigint;
  /** The spend key of the own sub-wallet; undefined for a foreign output. */
  readonly owner: string | undefined;
}

export interface ModelTransaction {
  readonly hash: string;
  readonly isCoinbase: boolean;
  readonly paymentId: string;
  /** One-time keys of its inputs. */
  readonly takes: readonly { readonly key: string; readonly amount: bigint }[];
  readonly outputs: readonly ModelOutput[];
}

export interface ModelBlock {
  readonly height: number;
  readonly hash: string;
  readonly transactions: readonly ModelTransaction[];
}

/** The block as a node returns it, and the outputs that the scanner finds. */
export function scannedBlock(model: ModelBlock): { block: SyncBlock; found: OwnOutputFound[] } {
  const toApply = (transaction: ModelTransaction): SyncTransaction => ({
    hash: transaction.hash,
    transactionPublicKey: hashOf(`key of ${transaction.hash}`),
    unlockTime: 0n,
    paymentId: transaction.paymentId,
    inputs: transaction.takes.map(({ key, amount }) => ({ keyImage: imageOf(key), amount })),
    outputs: transaction.outputs.map(({ key, amount }) => ({ key, amount })),
  });
  const coinbase = model.transactions.find(({ isCoinbase }) => isCoinbase);
  const rest = model.transactions.filter(({ isCoinbase }) => !isCoinbase);
  const found = [coinbase, ...rest].flatMap((transaction, number) =>
    (transaction?.outputs ?? []).flatMap(({ key, owner }, output) =>
      owner === undefined
        ? []
        : [
            {
              transaction: number,
              output,
              publicSpendKey: owner,
              keyImage: imageOf(key),
              privateEphemeral: undefined,
              globalIndex: 7,
            },
          ],
    ),
  );
  return {
    block: {
      height: model.height,
      hash: model.hash,
      timestamp: 1_000 + model.height,
      coinbase: coinbase === undefined ? undefined : toApply(coinbase),
      transactions: rest.map(toApply),
    },
    found,
  };
}

/** The send as a wallet records it. */
export function pendingOf(
  transaction: ModelTransaction,
  inputs: readonly { owner: string; output: WalletOutput }[],
): PendingSend {
  const sums = new Map<string, bigint>();
  const add = (owner: string, amount: bigint): void => void sums.set(owner, (sums.get(owner) ?? 0n) + amount);
  for (const { owner, output } of inputs) add(owner, -output.amount);
  const own = transaction.outputs.flatMap(({ key, amount, owner }) =>
    owner === undefined ? [] : [{ publicSpendKey: owner, amount, key }],
  );
  for (const { publicSpendKey, amount } of own) add(publicSpendKey, amount);
  return {
    hash: transaction.hash,
    inputs: inputs.map(({ owner, output }) => ({ output, publicSpendKey: owner })),
    ownOutputs: own,
    fee: 0n,
    paymentId: transaction.paymentId,
    unlockTime: 0n,
    transactionSecretKey: hashOf(`secret of ${transaction.hash}`),
    transfers: Array.from(sums, ([publicSpendKey, amount]) => ({ publicSpendKey, amount })),
  };
}

/** The expected state of a wallet, recomputed from the whole chain and the pending sends. */
export function expectedState(chain: readonly ModelBlock[], pending: readonly ModelTransaction[]): unknown {
  interface Known {
    owner: string;
    amount: bigint;
    height: number;
    spent: number;
    /** Amount and transfers of each copy that raised the amount. */
    copies: { amount: bigint; transfers: Map<string, bigint> | undefined }[];
  }
  const outputs = new Map<string, Known>();
  const touchedIn: [number, string, Map<string, bigint>][] = [];
  for (const { height, transactions: all } of chain) {
    const touched = all.map(() => new Map<string, bigint>());
    const add = (i: number, owner: string, amount: bigint): void =>
      void touched[i]?.set(owner, (touched[i].get(owner) ?? 0n) + amount);
    all.forEach(({ outputs: list }, i) => {
      for (const { key, amount, owner } of list) {
        if (owner === undefined) continue;
        const smaller = outputs.get(key);
        const isLargest = smaller === undefined || (smaller.spent === 0 && smaller.amount < amount);
        const copies = [...(smaller?.copies ?? []), { amount, transfers: touched[i] }];
        if (isLargest) outputs.set(key, { owner, amount, height, spent: 0, copies });
        add(i, owner, isLargest ? amount - (smaller?.amount ?? 0n) : 0n);
      }
    });
    all.forEach(({ hash, takes }, i) => {
      for (const { key, amount } of takes) {
        const output = outputs.get(key);
        if (output === undefined || output.spent > 0) continue;
        output.spent = height;
        // Larger copies are worthless once a smaller one is spent.
        const { owner, copies } = output;
        if (copies.some((copy) => copy.amount === amount)) {
          for (const [at, copy] of copies.entries()) {
            if (copy.amount <= amount) continue;
            const raise = copy.amount - (copies[at - 1]?.amount ?? 0n);
            copy.transfers?.set(owner, (copy.transfers.get(owner) ?? 0n) - raise);
          }
          output.amount = amount;
        }
        add(i, owner, -output.amount);
      }
      touchedIn.push([height, hash, touched[i] ?? new Map()]);
    });
  }
  const transactions = touchedIn
    .filter(([, , touched]) => touched.size > 0)
    .map(([height, hash, touched]) => [
      height,
      hash,
      sorted(Array.from(touched, ([owner, amount]) => `${owner} ${amount}`)),
    ]);
  const isSpent = (key: string): boolean => (outputs.get(key)?.spent ?? 0) > 0;
  const claimed = new Set(pending.flatMap(({ takes }) => takes.map(({ key }) => key)));
  const place = ([key, { spent }]: [string, { spent: number }]): string =>
    spent > 0 ? `spent at ${spent}` : claimed.has(key) ? 'locked' : 'unspent';
  return {
    outputs: sorted([...outputs].map((entry) => `${entry[0]} ${entry[1].owner} ${entry[1].amount} ${place(entry)}`)),
    incoming: sorted(
      pending.flatMap(({ outputs: list }) =>
        list.flatMap(({ key, amount, owner }) =>
          owner === undefined || claimed.has(key) || amount <= (outputs.get(key)?.amount ?? -1n) || isSpent(key)
            ? []
            : [`${key} ${owner} ${amount}`],
        ),
      ),
    ),
    transactions,
    pending: sorted(pending.map(({ hash }) => hash)),
  };
}

/** The same state, from the content of a ledger. */
export function heldBy({ subWallets, transactions, unconfirmed }: WalletContent): unknown {
  return {
    outputs: sorted(
      subWallets.flatMap(({ publicSpendKey, unspent, locked, spent }) => [
        ...unspent.map(({ key, amount }) => `${key} ${publicSpendKey} ${amount} unspent`),
        ...locked.map(({ key, amount }) => `${key} ${publicSpendKey} ${amount} locked`),
        ...spent.map(({ key, amount, spendHeight }) => `${key} ${publicSpendKey} ${amount} spent at ${spendHeight}`),
      ]),
    ),
    incoming: sorted(
      subWallets.flatMap(({ publicSpendKey, unconfirmedIncoming }) =>
        unconfirmedIncoming.map(({ key, amount }) => `${key} ${publicSpendKey} ${amount}`),
      ),
    ),
    transactions: transactions.map(({ blockHeight, hash, transfers }) => [
      blockHeight,
      hash,
      sorted(transfers.map(({ publicSpendKey, amount }) => `${publicSpendKey} ${amount}`)),
    ]),
    pending: sorted(unconfirmed.map(({ hash }) => hash)),
  };
}

const sorted = (list: readonly string[]): string[] => list.toSorted();
