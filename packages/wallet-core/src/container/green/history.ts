import { DecodeError, LONG_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import {
  deriveSecretKey,
  encryptPaymentId,
  generateKeyDerivation,
  generateKeyImage,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import type { Transfer, UnconfirmedAmount, WalletOutput, WalletTransaction } from '../../ledger/model';
import type { GreenCache, GreenOutput, GreenTransaction } from './cache';
import type { GreenKeys } from './keys';

/** Outputs and transactions of a cache. */
export interface ConvertedHistory {
  /** By public spend key. */
  readonly outputs: ReadonlyMap<string, Lists>;
  readonly transactions: readonly WalletTransaction[];
  readonly unconfirmed: readonly WalletTransaction[];
  /** The highest block height of an output or transaction; 0 if there is none. */
  readonly height: number;
  /** Unix seconds; Infinity without transactions. */
  readonly firstTimestamp: number;
}

/** The outputs of a sub-wallet. */
interface Lists {
  readonly unspent: WalletOutput[];
  readonly locked: WalletOutput[];
  readonly spent: WalletOutput[];
  readonly unconfirmedIncoming: UnconfirmedAmount[];
}

interface Effect {
  readonly transfers: Map<string, bigint>;
  readonly received: GreenOutput[];
  hasSpent: boolean;
}

const MAX_TRANSFER = 2n ** 63n - 1n;

/**
 * Converts the history of a cache for the ledger: mined transactions, and unconfirmed own sends with the outputs that they
 * lock. Cancelled, deleted and unsent transactions are left out.
 * @throws DecodeError when the cache lacks an address or is inconsistent
 */
export function* convertHistory(keys: GreenKeys, cache: GreenCache): Generator<void, ConvertedHistory> {
  const lists = new Map<string, Lists>();
  for (const { publicKey } of keys.spendKeys) {
    const owner = publicKey.toString('hex');
    // Without the outputs of an address, the amounts of its transactions would be incomplete.
    if (!cache.addresses.has(owner)) throw new DecodeError('the cache lacks an address');
    lists.set(owner, { unspent: [], locked: [], spent: [], unconfirmedIncoming: [] });
  }
  const listed = new Map(cache.transactions.map((transaction) => [transaction.hash, transaction]));
  const own = cache.outputs.filter(({ owner }) => lists.has(owner));
  const sends = pendingSends(own, listed);
  const effects = new Map<string, Effect>();
  const converter = new OutputConverter(keys);
  const seen = new Set<string>();

  for (const output of own) {
    yield;
    if (seen.has(output.key)) throw new DecodeError('an output is listed twice');
    seen.add(output.key);
    const target = lists.get(output.owner) as Lists;
    const { amount, key, blockHeight, parentTransactionHash, spendHeight, spendingTransactionHash: spender } = output;
    if (!listed.has(parentTransactionHash)) throw new DecodeError('the transaction of an output is not listed');
    if (blockHeight === undefined) {
      if (spender === undefined && sends.has(parentTransactionHash)) {
        note(effects, parentTransactionHash, output, amount);
        target.unconfirmedIncoming.push({ amount, key, parentTransactionHash });
      }
      continue;
    }
    requireScanned(blockHeight, cache.height);
    note(effects, parentTransactionHash, output, amount);
    if (spender !== undefined && spendHeight !== undefined) {
      requireScanned(spendHeight, cache.height);
      note(effects, spender, output, -amount);
      target.spent.push(converter.spent(output, blockHeight, spendHeight));
    } else if (spender !== undefined && sends.has(spender)) {
      note(effects, spender, output, -amount);
      target.locked.push({ ...converter.unspent(output, blockHeight), spendingTransactionHash: spender });
    } else target.unspent.push(converter.unspent(output, blockHeight));
  }

  const transactions: WalletTransaction[] = [];
  const unconfirmed: WalletTransaction[] = [];
  for (const transaction of listed.values()) {
    yield;
    const effect = effects.get(transaction.hash);
    // The transaction concerns only a deleted address.
    if (effect === undefined) continue;
    const { blockHeight } = transaction;
    if (blockHeight !== undefined) requireScanned(blockHeight, cache.height);
    const record = recordOf(transaction, effect, converter);
    if (blockHeight !== undefined && transaction.isSent) transactions.push(record);
    else if (sends.has(transaction.hash)) unconfirmed.push(record);
  }
  transactions.sort((a, b) => a.blockHeight - b.blockHeight);
  return { outputs: lists, transactions, unconfirmed, ...extentOf(transactions, lists) };
}

/** Hashes of unconfirmed own sends: they spend an own output and neither failed nor were cancelled. */
function pendingSends(
  outputs: readonly GreenOutput[],
  listed: ReadonlyMap<string, GreenTransaction>,
): ReadonlySet<string> {
  const sends = new Set<string>();
  for (const { blockHeight, spendHeight, spendingTransactionHash } of outputs) {
    if (spendingTransactionHash === undefined || spendHeight !== undefined || blockHeight === undefined) continue;
    const transaction = listed.get(spendingTransactionHash);
    if (transaction?.isSent === true && transaction.blockHeight === undefined) sends.add(transaction.hash);
  }
  return sends;
}

function note(effects: Map<string, Effect>, hash: string, output: GreenOutput, amount: bigint): void {
  let effect = effects.get(hash);
  if (effect === undefined) effects.set(hash, (effect = { transfers: new Map(), received: [], hasSpent: false }));
  if (amount < 0n) effect.hasSpent = true;
  else effect.received.push(output);
  const sum = (effect.transfers.get(output.owner) ?? 0n) + amount;
  if (sum > MAX_TRANSFER || sum < -MAX_TRANSFER) throw new DecodeError('a transfer exceeds 64 bits');
  effect.transfers.set(output.owner, sum);
}

function recordOf(
  { hash, fee, blockHeight, timestamp, unlockTime, paymentId, isCoinbase }: GreenTransaction,
  { transfers, received, hasSpent }: Effect,
  converter: OutputConverter,
): WalletTransaction {
  const isMined = blockHeight !== undefined;
  return {
    transfers: Array.from(transfers, ([publicSpendKey, amount]): Transfer => ({ publicSpendKey, amount })),
    hash,
    fee: isCoinbase ? 0n : fee,
    blockHeight: blockHeight ?? 0,
    timestamp: isMined ? timestamp : 0,
    paymentId: isCoinbase ? '' : converter.paymentId(paymentId, hasSpent ? undefined : received[0]),
    unlockTime: isMined ? unlockTime : 0n,
    isCoinbase,
  };
}

/** @throws DecodeError when a height is above the last scanned block */
function requireScanned(height: number, lastHeight: number): void {
  if (height > lastHeight) throw new DecodeError('a height is above the last block');
}

function extentOf(
  transactions: readonly WalletTransaction[],
  lists: ReadonlyMap<string, Lists>,
): Pick<ConvertedHistory, 'height' | 'firstTimestamp'> {
  let height = transactions.at(-1)?.blockHeight ?? 0;
  for (const { unspent, locked, spent } of lists.values()) {
    for (const list of [unspent, locked, spent]) {
      for (const output of list) height = Math.max(height, output.blockHeight, output.spendHeight);
    }
  }
  const firstTimestamp = transactions.reduce((min, { timestamp }) => Math.min(min, timestamp), Infinity);
  return { height, firstTimestamp };
}

/** Converts outputs and payment ids with the keys of the wallet. */
class OutputConverter {
  private readonly viewSecret: Buffer;
  private readonly spendSecrets: ReadonlyMap<string, Buffer | undefined>;

  constructor({ viewSecret, spendKeys }: GreenKeys) {
    this.viewSecret = viewSecret;
    this.spendSecrets = new Map(spendKeys.map(({ publicKey, secretKey }) => [publicKey.toString('hex'), secretKey]));
  }

  /** Recomputes the key image. @throws DecodeError when the output does not belong to the wallet */
  unspent({ owner, ...output }: GreenOutput, blockHeight: number): WalletOutput {
    const spendSecret = this.spendSecrets.get(owner);
    const unspent = { ...output, blockHeight, spendHeight: 0, spendingTransactionHash: undefined };
    if (spendSecret === undefined) return { ...unspent, keyImage: undefined };
    const secret = deriveSecretKey(this.derivation(output.transactionPublicKey), output.outputIndex, spendSecret);
    const key = secretKeyToPublicKey(secret);
    if (key.toString('hex') !== output.key) throw new DecodeError('an output does not belong to this wallet');
    const keyImage = generateKeyImage(key, secret).toString('hex');
    return { ...unspent, keyImage, privateEphemeral: secret.toString('hex') };
  }

  /** Uses the unchecked key image of the cache: nothing is looked up by the key image of a spent output. */
  spent({ owner, ...output }: GreenOutput, blockHeight: number, spendHeight: number): WalletOutput {
    const isView = this.spendSecrets.get(owner) === undefined;
    return { ...output, blockHeight, spendHeight, keyImage: isView ? undefined : output.keyImage };
  }

  /** Decrypts a short payment id of an incoming payment. Only the receiver can, so the result is '' for an own send. */
  paymentId(stored: string, received: GreenOutput | undefined): string {
    if (stored === '' || stored.length === LONG_PAYMENT_ID_LENGTH) return stored;
    if (received === undefined) return '';
    return encryptPaymentId(Buffer.from(stored, 'hex'), this.derivation(received.transactionPublicKey)).toString('hex');
  }

  private derivation(transactionPublicKey: string): Buffer {
    const derivation = generateKeyDerivation(Buffer.from(transactionPublicKey, 'hex'), this.viewSecret);
    if (derivation === null) throw new DecodeError('the public key of a transaction is not a point');
    return derivation;
  }
}
