import type { RawChainBlock, SyncBlock } from '@wrkz/client';
import { type ParsedTransaction, parseBlock, parseTransaction } from '@wrkz/core-types';
import { type ScanKeys, scannedBatches, type TransactionDetails } from '@wrkz/wallet-core';
import { scannableOf } from './sync-transaction';

/** What is known of the wanted transactions of a block. */
export interface BlockDetails {
  readonly height: number;
  readonly hash: string;
  readonly transactions: readonly (readonly [hash: string, details: TransactionDetails])[];
}

/** Reads a block: its hash, and of those transactions that are wanted what the container has no place for. */
export async function blockDetails(
  raw: RawChainBlock,
  isWanted: (height: number, hash: string) => boolean,
  keys: ScanKeys,
): Promise<BlockDetails> {
  const parsed = parseBlock(raw.block);
  const all = [parsed.coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
  const height = heightOf(parsed.coinbase);
  const wanted = all.filter((transaction) => isWanted(height, transaction.hash.toString('hex')));
  const hash = parsed.hash.toString('hex');
  const received = await receivedIn(
    { height, hash, timestamp: 0, coinbase: undefined, transactions: wanted.map(scannableOf) },
    keys,
  );
  const transactions = wanted.map((transaction, i): [string, TransactionDetails] => [
    transaction.hash.toString('hex'),
    { ...sumsOf(transaction), blockHash: hash, received: received.get(i + 1) ?? new Map() },
  ]);
  return { height, hash, transactions };
}

/** What each own key receives, by the place of the transaction, counted from 1. */
export async function receivedIn(block: SyncBlock, keys: ScanKeys): Promise<Map<number, Map<string, bigint>>> {
  const received = new Map<number, Map<string, bigint>>();
  if (block.transactions.length === 0 || keys.spendKeys.length === 0) return received;
  for await (const batch of scannedBatches([block], keys)) {
    for (const scanned of batch) {
      if ('error' in scanned) throw scanned.error;
      for (const { transaction, output, publicSpendKey } of scanned.found) {
        const sums = received.get(transaction) ?? new Map<string, bigint>();
        received.set(transaction, sums);
        const amount = block.transactions[transaction - 1]?.outputs[output]?.amount ?? 0n;
        sums.set(publicSpendKey, (sums.get(publicSpendKey) ?? 0n) + amount);
      }
    }
  }
  return received;
}

/** The extra and the sums of a transaction. */
export function sumsOf({ transaction }: ParsedTransaction): Pick<TransactionDetails, 'extra' | 'inputs' | 'outputs'> {
  const { inputs, outputs, extra } = transaction;
  return {
    extra: Buffer.from(extra),
    inputs: inputs.reduce((sum, input) => sum + (input.type === 'key' ? input.amount : 0n), 0n),
    outputs: outputs.reduce((sum, { amount }) => sum + amount, 0n),
  };
}

function heightOf({ transaction }: ParsedTransaction): number {
  const [input] = transaction.inputs;
  return input?.type === 'base' ? Number(input.height) : 0;
}
