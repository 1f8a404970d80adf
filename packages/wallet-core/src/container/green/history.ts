import { DecodeError, LONG_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import {
  deriveSecretKey,
  encryptPaymentId,
  generateKeyDerivation,
  generateKeyImage,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import type { SubWallet, Transfer, UnconfirmedAmount, WalletOutput, WalletTransaction } from '../../ledger/model';
import type { GreenCache, GreenOutput, GreenTransaction } from './cache-format';
import type { GreenKeys } from './keys';

type Outputs = Pick<SubWallet, 'unspent' | 'locked' | 'spent' | 'unconfirmedIncoming'>;

/** What the cache tells of the money. */
export interface ConvertedHistory {
  /** By public spend key. */
  readonly outputs: ReadonlyMap<string, Outputs>;
  readonly transactions: readonly WalletTransaction[];
  readonly unconfirmed: readonly WalletTransaction[];
  /** Of the last block that holds any of it; 0 when there is none. */
  readonly height: number;
  /** The earliest time of a transaction. */
  readonly firstTimestamp: number | undefined;
}

interface Lists {
  readonly unspent: WalletOutput[];
  readonly locked: WalletOutput[];
  readonly spent: WalletOutput[];
  readonly unconfirmedIncoming: UnconfirmedAmount[];
}

/** What is known of a transaction's effect. */
interface Effect {
  readonly transfers: Map<string, bigint>;
  readonly received: GreenOutput[];
  hasSpent: boolean;
}

const MOST_IN_A_TRANSFER = 2n ** 63n - 1n;

/**
 * The history as our ledger keeps it. Only what is in a block is taken, and sends of the wallet that wait for one with the
 * outputs that they take; a transaction that was cancelled, deleted or never sent took nothing.
 * @throws DecodeError when the cache lacks an address, or contradicts itself
 */
export function* convertHistory(keys: GreenKeys, cache: GreenCache): Generator<void, ConvertedHistory> {
  const lists = new Map<string, Lists>();
  for (const { publicKey } of keys.spendKeys) {
    const owner = publicKey.toString('hex');
    // A transaction of the cache may have paid this address too, and would be known in half.
    if (!cache.addresses.has(owner)) throw new DecodeError('the cache lacks an address');
    lists.set(owner, { unspent: [], locked: [], spent: [], unconfirmedIncoming: [] });
  }
  const listed = new Map(cache.transactions.map((transaction) => [transaction.hash, transaction]));
  const own = cache.outputs.filter(({ owner }) => lists.has(owner));
  const sends = sendsUnderWay(own, listed);
  const effects = new Map<string, Effect>();
  const converter = new OutputConverter(keys);
  const seen = new Set<string>();

  for (const output of own) {
    yield;
    if (seen.has(output.key)) throw new DecodeError('an output stands twice');
    seen.add(output.key);
    const target = lists.get(output.owner) as Lists;
    const parent = listed.get(output.transactionHash);
    if (parent === undefined) throw new DecodeError('an output is of no listed transaction');
    if (output.blockHeight === undefined) {
      if (output.spend === undefined && sends.has(parent.hash)) {
        note(effects, parent.hash, output, output.amount);
        const { amount, key, transactionHash: parentTransactionHash } = output;
        target.unconfirmedIncoming.push({ amount, key, parentTransactionHash });
      }
      continue;
    }
    requireBelow(output.blockHeight, cache.height);
    note(effects, parent.hash, output, output.amount);
    const { spend } = output;
    if (spend?.blockHeight !== undefined) {
      requireBelow(spend.blockHeight, cache.height);
      note(effects, spend.transactionHash, output, -output.amount);
      target.spent.push(converter.spent(output, spend.blockHeight, spend.transactionHash));
    } else if (spend !== undefined && sends.has(spend.transactionHash)) {
      note(effects, spend.transactionHash, output, -output.amount);
      target.locked.push({ ...converter.unspent(output), spendingTransactionHash: spend.transactionHash });
    } else target.unspent.push(converter.unspent(output));
  }

  const transactions: WalletTransaction[] = [];
  const unconfirmed: WalletTransaction[] = [];
  for (const transaction of listed.values()) {
    yield;
    const effect = effects.get(transaction.hash);
    // Without one it belongs to an address that was deleted.
    if (effect === undefined) continue;
    const { blockHeight } = transaction;
    if (blockHeight !== undefined) requireBelow(blockHeight, cache.height);
    const record = recordOf(transaction, effect, converter);
    if (blockHeight !== undefined && transaction.isSent) transactions.push(record);
    else if (sends.has(transaction.hash)) unconfirmed.push(record);
  }
  transactions.sort((a, b) => a.blockHeight - b.blockHeight);
  return { outputs: lists, transactions, unconfirmed, ...extentOf(transactions, lists) };
}

/** Own sends that the network has and no block: all that takes an own output and neither failed nor was cancelled. */
function sendsUnderWay(
  outputs: readonly GreenOutput[],
  listed: ReadonlyMap<string, GreenTransaction>,
): ReadonlySet<string> {
  const sends = new Set<string>();
  for (const { spend, blockHeight } of outputs) {
    if (spend === undefined || spend.blockHeight !== undefined || blockHeight === undefined) continue;
    const transaction = listed.get(spend.transactionHash);
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
  if (sum > MOST_IN_A_TRANSFER || sum < -MOST_IN_A_TRANSFER) throw new DecodeError('a transfer is beyond all money');
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

/** @throws DecodeError for a height that the cache has not come to */
function requireBelow(height: number, most: number): void {
  if (height > most) throw new DecodeError('a height lies above the last block');
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
  const times = transactions.map(({ timestamp }) => timestamp);
  const firstTimestamp = times.reduce<number | undefined>(
    (least, time) => (least === undefined ? time : Math.min(least, time)),
    undefined,
  );
  return { height, firstTimestamp };
}

/** Makes our outputs of the cached ones. */
export class OutputConverter {
  private readonly viewSecret: Buffer;
  private readonly spendSecrets: ReadonlyMap<string, Buffer | undefined>;

  constructor({ viewSecret, spendKeys }: GreenKeys) {
    this.viewSecret = viewSecret;
    this.spendSecrets = new Map(spendKeys.map(({ publicKey, secretKey }) => [publicKey.toString('hex'), secretKey]));
  }

  /** With a key image that is worked out anew. @throws DecodeError when the output is not the wallet's */
  unspent(output: GreenOutput): WalletOutput {
    const spendSecret = this.spendSecrets.get(output.owner);
    if (spendSecret === undefined) return outputOf(output, undefined, undefined);
    const secret = deriveSecretKey(this.derivation(output), output.outputIndex, spendSecret);
    const key = secretKeyToPublicKey(secret);
    if (key.toString('hex') !== output.key) throw new DecodeError('an output is not of this wallet');
    return outputOf(output, generateKeyImage(key, secret).toString('hex'), secret.toString('hex'));
  }

  /** With the key image of the cache: nothing looks for it any more. */
  spent(output: GreenOutput, spendHeight: number, spendingTransactionHash: string): WalletOutput {
    const isView = this.spendSecrets.get(output.owner) === undefined;
    return {
      ...outputOf(output, isView ? undefined : output.keyImage, undefined),
      spendHeight,
      spendingTransactionHash,
    };
  }

  /** A short id can be read by who received an output with it. */
  paymentId(stored: string, received: GreenOutput | undefined): string {
    if (stored === '' || stored.length === LONG_PAYMENT_ID_LENGTH) return stored;
    if (received === undefined) return '';
    return encryptPaymentId(Buffer.from(stored, 'hex'), this.derivation(received)).toString('hex');
  }

  private derivation({ transactionPublicKey }: GreenOutput): Buffer {
    const derivation = generateKeyDerivation(Buffer.from(transactionPublicKey, 'hex'), this.viewSecret);
    if (derivation === null) throw new DecodeError('the public key of a transaction is no point');
    return derivation;
  }
}

function outputOf(
  output: GreenOutput,
  keyImage: string | undefined,
  privateEphemeral: string | undefined,
): WalletOutput {
  return {
    keyImage,
    amount: output.amount,
    blockHeight: output.blockHeight ?? 0,
    transactionPublicKey: output.transactionPublicKey,
    outputIndex: output.outputIndex,
    globalIndex: output.globalIndex,
    key: output.key,
    spendHeight: 0,
    unlockTime: output.unlockTime,
    parentTransactionHash: output.transactionHash,
    privateEphemeral,
    spendingTransactionHash: undefined,
  };
}
