import type { NodeCalls, RawChainBlock, SyncBlock, SyncTip, SyncTransaction } from '@wrkz/client';
import { parseBlock, type ParsedTransaction, parseExtraWallet, parseTransaction } from '@wrkz/core-types';
import { type LedgerKeys, scannedBatches, type StoredDetails, type WalletContent } from '@wrkz/wallet-core';

/** Blocks that are asked for at once. */
const AT_ONCE = 1_000;
/** Each is asked of the node. */
const MAX_COUNT = 10_000;

/** Hashes of blocks, which a container holds only few of: the node tells them. */
export class BlockHashes {
  constructor(
    private readonly nodes: Pick<NodeCalls, 'walletSyncData' | 'mainBlock'>,
    /** Hashes of one answer. */
    readonly maxCount = MAX_COUNT,
  ) {}

  /** Of the blocks [start, end), as far as the node has them, ascending. @throws NodeFailure */
  async range(start: number, end: number): Promise<string[]> {
    const hashes: string[] = [];
    while (start + hashes.length < end) {
      const from = start + hashes.length;
      const { blocks } = await this.nodes.walletSyncData({
        checkpoints: [],
        startHeight: from,
        startTimestamp: 0,
        blockCount: Math.min(AT_ONCE, end - from),
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

  /** The block of the main chain with this hash. @throws NodeFailure */
  find(hash: string): Promise<SyncTip | undefined> {
    return this.nodes.mainBlock(hash);
  }
}

/** What is known of the wanted transactions of a block. */
export interface BlockDetails {
  readonly height: number;
  readonly hash: string;
  readonly transactions: readonly (readonly [hash: string, details: StoredDetails])[];
}

/** Reads a block: its hash, and of those transactions that are wanted what the container has no place for. */
export async function blockDetails(
  raw: RawChainBlock,
  isWanted: (height: number, hash: string) => boolean,
  keys: LedgerKeys,
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
  const transactions = wanted.map((transaction, i): [string, StoredDetails] => [
    transaction.hash.toString('hex'),
    { ...sumsOf(transaction), blockHash: hash, received: received.get(i + 1) ?? new Map() },
  ]);
  return { height, hash, transactions };
}

/** What each own key receives, by the place of the transaction, counted from 1. */
export async function receivedIn(block: SyncBlock, keys: LedgerKeys): Promise<Map<number, Map<string, bigint>>> {
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

/** What of a transaction a wallet scans. */
export type ScannableParts = Pick<SyncTransaction, 'hash' | 'unlockTime' | 'inputs' | 'outputs'> & {
  readonly extra: Uint8Array;
};

/** A transaction as `/getwalletsyncdata` would tell it. */
export function scannable({ extra, ...rest }: ScannableParts): SyncTransaction {
  const { publicKey, paymentId } = parseExtraWallet(extra);
  return { ...rest, transactionPublicKey: publicKey.toString('hex'), paymentId };
}

/** The same of one that was read from its bytes. */
export function scannableOf(parsed: ParsedTransaction): SyncTransaction {
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

/** The keys of a wallet, to scan with. */
export function scanKeysOf({ privateViewKey, subWallets }: WalletContent): LedgerKeys {
  return {
    privateViewKey,
    spendKeys: subWallets.map(({ publicSpendKey, privateSpendKey }) => ({ publicSpendKey, privateSpendKey })),
  };
}
