import type { NodePoolTransaction, SyncTransaction } from '@wrkz/client';
import {
  type HeldTransaction,
  scannedBatches,
  type StoredDetails,
  type WalletContent,
  type WalletOutput,
  type WalletTransaction,
} from '@wrkz/wallet-core';
import { type FindOutput, scanKeysOf, scannable } from './blocks';

/** A pool transaction that pays to the wallet or spends its outputs. */
export interface OwnPoolTransaction {
  readonly transaction: WalletTransaction;
  readonly held: HeldTransaction;
  readonly details: StoredDetails;
}

interface OwnedOutput {
  readonly output: WalletOutput;
  readonly publicSpendKey: string;
}

/** An output of a pool transaction that belongs to the wallet. */
interface PaidOutput {
  readonly publicSpendKey: string;
  readonly key: string;
  readonly amount: bigint;
  /** By how much it is larger than other outputs with its one-time key, of which only the largest can be spent. */
  readonly counted: bigint;
}

/**
 * Finds the transactions that pay to the wallet or spend its outputs. Outputs with the same one-time key in the wallet, or in
 * earlier transactions of `added`, count once, with the largest amount.
 */
export async function ownPoolTransactions(
  added: readonly NodePoolTransaction[],
  content: WalletContent,
  findOutput: FindOutput,
): Promise<OwnPoolTransaction[]> {
  if (added.length === 0 || content.subWallets.length === 0) return [];
  const incoming = content.subWallets.flatMap(({ unconfirmedIncoming }) => unconfirmedIncoming);
  const known = new Map(incoming.map((one) => [one.key, one]));
  const largest = new Map<string, bigint>();
  const transactions = added.map(scannable);
  const block = { height: 0, hash: '', timestamp: 0, coinbase: undefined, transactions };
  const paid = new Map<number, PaidOutput[]>();
  const shortIds = new Map<string, string>();
  for await (const batch of scannedBatches([block], scanKeysOf(content))) {
    for (const scanned of batch) {
      if ('error' in scanned) throw scanned.error;
      for (const [hash, id] of scanned.decryptedPaymentIds) shortIds.set(hash, id);
      for (const { transaction, output, publicSpendKey } of scanned.found) {
        const { hash, outputs } = transactions[transaction - 1] as SyncTransaction;
        const { key, amount } = outputs[output] as SyncTransaction['outputs'][number];
        const owned = findOutput(key);
        const others = [owned, known.get(key)].filter((one) => one?.parentTransactionHash !== hash);
        const amounts = [largest.get(key), ...others.map((one) => one?.amount)];
        const before = amounts.reduce<bigint>((max, one = 0n) => (one > max ? one : max), 0n);
        if (amount <= before || (owned?.spendHeight ?? 0) > 0) continue;
        largest.set(key, amount);
        const one = { publicSpendKey, key, amount, counted: amount - before };
        paid.set(transaction, [...(paid.get(transaction) ?? []), one]);
      }
    }
  }
  const images = new Set(added.flatMap(({ inputs }) => inputs.map(({ keyImage }) => keyImage)));
  const byImage = outputsByImage(content, images);
  return added.flatMap((pooled, i) => {
    const taken = pooled.inputs.flatMap(({ keyImage }) => byImage.get(keyImage) ?? []);
    const outputs = paid.get(i + 1) ?? [];
    if (taken.length === 0 && outputs.length === 0) return [];
    const paymentId = transactions[i]?.paymentId ?? '';
    const plainId = paymentId.length === 16 ? (taken.length === 0 ? (shortIds.get(pooled.hash) ?? '') : '') : paymentId;
    return [ownPoolTransaction(pooled, taken, outputs, plainId)];
  });
}

function ownPoolTransaction(
  { hash, extra, unlockTime, inputs, outputs }: NodePoolTransaction,
  taken: readonly OwnedOutput[],
  paid: readonly PaidOutput[],
  paymentId: string,
): OwnPoolTransaction {
  const received = new Map<string, bigint>();
  const net = new Map<string, bigint>();
  const add = (sums: Map<string, bigint>, key: string, amount: bigint): void =>
    void sums.set(key, (sums.get(key) ?? 0n) + amount);
  for (const { publicSpendKey, output } of taken) add(net, publicSpendKey, -output.amount);
  for (const { publicSpendKey, counted } of paid) {
    add(net, publicSpendKey, counted);
    add(received, publicSpendKey, counted);
  }
  const sum = (parts: readonly { readonly amount: bigint }[]): bigint =>
    parts.reduce((total, { amount }) => total + amount, 0n);
  const sums = { inputs: sum(inputs), outputs: sum(outputs) };
  return {
    transaction: {
      transfers: Array.from(net, ([publicSpendKey, amount]) => ({ publicSpendKey, amount })),
      hash,
      fee: sums.inputs > sums.outputs ? sums.inputs - sums.outputs : 0n,
      blockHeight: 0,
      timestamp: 0,
      paymentId,
      unlockTime: 0n,
      isCoinbase: false,
    },
    held: { hash, inputs: taken.map(({ output }) => output.key), ownOutputs: paid },
    details: { extra, ...sums, unlockTime, received },
  };
}

/** Own outputs by key image, for the given key images. */
function outputsByImage({ subWallets }: WalletContent, images: ReadonlySet<string>): Map<string, OwnedOutput> {
  const byImage = new Map<string, OwnedOutput>();
  for (const { publicSpendKey, unspent, locked } of subWallets) {
    for (const list of [unspent, locked]) {
      for (const output of list) {
        const { keyImage } = output;
        if (keyImage !== undefined && images.has(keyImage)) byImage.set(keyImage, { output, publicSpendKey });
      }
    }
  }
  return byImage;
}
