import type { NodeCalls, RawChainBlock, SyncBlock, SyncTransaction } from '@wrkz/client';
import { parseBlock, type ParsedTransaction, parseExtraWallet, parseTransaction } from '@wrkz/core-types';
import {
  copiesOf,
  type LedgerKeys,
  scannedBatches,
  type StoredDetails,
  type Wallet,
  type WalletContent,
  type WalletOutput,
} from '@wrkz/wallet-core';

const BLOCKS_PER_REQUEST = 1_000;
/** Hashes of the blocks [start, end), ascending; fewer if the node has fewer. A container has only recent ones. @throws NodeFailure */
export async function blockHashes(
  nodes: Pick<NodeCalls, 'walletSyncData'>,
  start: number,
  end: number,
): Promise<string[]> {
  const hashes: string[] = [];
  while (start + hashes.length < end) {
    const from = start + hashes.length;
    const { blocks } = await nodes.walletSyncData({
      checkpoints: [],
      startHeight: from,
      startTimestamp: 0,
      blockCount: Math.min(BLOCKS_PER_REQUEST, end - from),
      skipCoinbases: true,
      skipEmptyBlocks: false,
      endHeight: 0,
      isBase64: false,
    });
    const next = blocks.filter(({ height }, i) => height === from + i && height < end);
    if (next.length === 0) return hashes;
    hashes.push(...next.map(({ hash }) => hash));
  }
  return hashes;
}

/** Details of the requested transactions of a block. */
export interface BlockDetails {
  readonly height: number;
  readonly hash: string;
  readonly transactions: readonly (readonly [hash: string, details: StoredDetails])[];
}

/** An own output by its one-time key. */
export type FindOutput = Wallet['findOutput'];

/** Parses a block and returns its hash and the details of the requested transactions. */
export async function blockDetails(
  raw: RawChainBlock,
  isWanted: (height: number, hash: string) => boolean,
  keys: LedgerKeys,
  findOutput: FindOutput,
): Promise<BlockDetails> {
  const parsed = parseBlock(raw.block);
  const all = [parsed.coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
  const height = heightOf(parsed.coinbase);
  const wanted = all.filter((transaction) => isWanted(height, transaction.hash.toString('hex')));
  const hash = parsed.hash.toString('hex');
  const received = await receivedIn(
    { height, hash, timestamp: 0, coinbase: undefined, transactions: wanted.map(scannableOf) },
    keys,
    findOutput,
  );
  const transactions = wanted.map((transaction, i): [string, StoredDetails] => [
    transaction.hash.toString('hex'),
    { ...sumsOf(transaction), blockHash: hash, received: received.get(i + 1) ?? new Map() },
  ]);
  return { height, hash, transactions };
}

/**
 * The amount by which an output raised the balance: less that of the smaller one that it replaced; 0 if it was never owned, or
 * if a smaller one was spent.
 */
function countedAmount(owned: WalletOutput, transactionHash: string, outputIndex: number): bigint {
  const outputs = copiesOf(owned).filter(({ amount }) => amount <= owned.amount);
  const at = outputs.findIndex(
    (one) => one.parentTransactionHash === transactionHash && one.outputIndex === outputIndex,
  );
  return (outputs[at]?.amount ?? 0n) - (outputs[at - 1]?.amount ?? 0n);
}

/**
 * Received amounts by position of the transaction in the block, starting at 1, and by own public spend key. They are those of
 * the ledger: of outputs with the same one-time key only the largest can be spent.
 */
async function receivedIn(
  block: SyncBlock,
  keys: LedgerKeys,
  findOutput: FindOutput,
): Promise<Map<number, Map<string, bigint>>> {
  const received = new Map<number, Map<string, bigint>>();
  if (block.transactions.length === 0 || keys.spendKeys.length === 0) return received;
  for await (const batch of scannedBatches([block], keys)) {
    for (const scanned of batch) {
      if ('error' in scanned) throw scanned.error;
      for (const { transaction, output, publicSpendKey } of scanned.found) {
        const sums = received.get(transaction) ?? new Map<string, bigint>();
        received.set(transaction, sums);
        const { hash, outputs } = block.transactions[transaction - 1] as SyncTransaction;
        const { key, amount } = outputs[output] as SyncTransaction['outputs'][number];
        const owned = findOutput(key);
        const counted = owned === undefined ? amount : countedAmount(owned, hash, output);
        sums.set(publicSpendKey, (sums.get(publicSpendKey) ?? 0n) + counted);
      }
    }
  }
  return received;
}

export function sumsOf({ transaction }: ParsedTransaction): Pick<StoredDetails, 'extra' | 'inputs' | 'outputs'> {
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

/** The fields of a transaction that the scanner needs. */
export type ScannableParts = Pick<SyncTransaction, 'hash' | 'unlockTime' | 'inputs' | 'outputs'> & {
  readonly extra: Uint8Array;
};

/** A transaction in the form of `/getwalletsyncdata`. */
export function scannable({ extra, ...rest }: ScannableParts): SyncTransaction {
  const { publicKey, paymentId } = parseExtraWallet(extra);
  return { ...rest, transactionPublicKey: publicKey.toString('hex'), paymentId };
}

/** Like `scannable`, for a parsed transaction. */
function scannableOf(parsed: ParsedTransaction): SyncTransaction {
  const { inputs, outputs, unlockTime, extra } = parsed.transaction;
  return scannable({
    hash: parsed.hash.toString('hex'),
    unlockTime,
    extra,
    inputs: inputs.flatMap((input) => {
      return input.type === 'key' ? [{ keyImage: input.keyImage.toString('hex'), amount: input.amount }] : [];
    }),
    outputs: outputs.map(({ amount, key }) => ({ amount, key: key.toString('hex') })),
  });
}

export function scanKeysOf({ privateViewKey, subWallets }: WalletContent): LedgerKeys {
  return {
    privateViewKey,
    spendKeys: subWallets.map(({ publicSpendKey, privateSpendKey }) => ({ publicSpendKey, privateSpendKey })),
  };
}
