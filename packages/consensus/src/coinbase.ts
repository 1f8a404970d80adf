import {
  COINBASE_UNLOCK_WINDOW,
  MAX_COINBASE_OUTPUTS,
  buildExtra,
  decomposeAmount,
  encodeTransaction,
  type Rules,
  type Transaction,
} from '@wrkz/core-types';
import { derivePublicKey, generateKeyDerivation } from '@wrkz/crypto';
import { blockReward } from './reward';

/** The receiver of a coinbase. */
export interface CoinbaseReceiver {
  readonly spendPublic: Buffer;
  readonly viewPublic: Buffer;
}

export interface CoinbaseInput {
  /** Index of the block, and the rules in force at it. */
  readonly height: number;
  readonly rules: Pick<Rules, 'baseReward' | 'fullRewardZone' | 'feesPenalized' | 'dustThreshold'>;
  readonly medianSize: number;
  readonly generatedCoins: bigint;
  /** Bytes and fees of the block's transactions. */
  readonly transactionsSize: number;
  readonly fees: bigint;
  readonly receiver: CoinbaseReceiver;
  /** A new key pair. The secret key reveals the receiver. */
  readonly transactionKeys: { readonly secretKey: Buffer; readonly publicKey: Buffer };
  /** Reserved bytes for a miner, at most 255. */
  readonly extraNonce: Buffer;
}

const MAX_TRIES = 10;

/**
 * The coinbase of a new block. Its reward depends on the size of the block and so on its own size: it is rebuilt until both
 * agree, and padded if it is shorter than assumed (docs/protocol/blocks.md#block-templates).
 *
 * @throws RangeError if the block is too large for any reward, a key of the receiver is not a point, or the extra nonce
 * is too long
 */
export function constructCoinbase(input: CoinbaseInput): Transaction {
  const keyOf = outputKeys(input);
  let assumed = input.transactionsSize;
  for (let tries = 0; tries <= MAX_TRIES; tries++) {
    const coinbase = coinbaseFor(input, assumed, keyOf);
    const size = encodeTransaction(coinbase).length;
    const gap = assumed - input.transactionsSize - size;
    if (gap === 0) return coinbase;
    if (gap < 0) {
      assumed -= gap;
      continue;
    }
    const padded = [gap, gap - 1].map((zeros) => withPadding(coinbase, zeros));
    const fitting = padded.find((candidate) => encodeTransaction(candidate).length === size + gap);
    if (fitting !== undefined) return fitting;
    assumed += 1;
  }
  throw new RangeError('the size of the coinbase does not converge');
}

/** The coinbase of a block of this cumulative size. */
function coinbaseFor(input: CoinbaseInput, size: number, keyOf: (index: number) => Buffer): Transaction {
  const { height, rules, medianSize, generatedCoins, fees } = input;
  const reward = blockReward({ rules, medianSize, size, generatedCoins, fees });
  if (reward === undefined) throw new RangeError(`a block of ${size} bytes is too large for a median of ${medianSize}`);
  return {
    version: 1,
    unlockTime: BigInt(height + COINBASE_UNLOCK_WINDOW),
    inputs: [{ type: 'base', height }],
    outputs: coinbaseAmounts(reward.total, rules.dustThreshold).map((amount, i) => ({ amount, key: keyOf(i) })),
    extra: coinbaseExtra(input.transactionKeys.publicKey, input.extraNonce),
    signatures: [Buffer.alloc(0)],
  };
}

/** The digits of the reward, lowest first; digits beyond 11 are added to the last. */
export function coinbaseAmounts(reward: bigint, dustThreshold: bigint): bigint[] {
  const amounts = decomposeAmount(reward, dustThreshold);
  const kept = amounts.slice(0, MAX_COINBASE_OUTPUTS);
  const rest = amounts.slice(MAX_COINBASE_OUTPUTS).reduce((sum, amount) => sum + amount, 0n);
  return kept.map((amount, i) => (i === MAX_COINBASE_OUTPUTS - 1 ? amount + rest : amount));
}

/** The key of each output by its index. Each try of `constructCoinbase` has the same keys, so each is derived once. */
function outputKeys({ receiver, transactionKeys }: CoinbaseInput): (index: number) => Buffer {
  const derivation = generateKeyDerivation(receiver.viewPublic, transactionKeys.secretKey);
  const keys: (Buffer | null)[] = [];
  return (index) => {
    const key = (keys[index] ??= derivation && derivePublicKey(derivation, index, receiver.spendPublic));
    if (key === null) throw new RangeError('the address to be paid has a key that is not a point of the curve');
    return key;
  };
}

function coinbaseExtra(publicKey: Buffer, extraNonce: Buffer): Buffer {
  if (extraNonce.length > 255) throw new RangeError(`an extra nonce of ${extraNonce.length} bytes is longer than 255`);
  return buildExtra(extraNonce.length === 0 ? { publicKey } : { publicKey, nonce: extraNonce });
}

function withPadding(coinbase: Transaction, zeros: number): Transaction {
  return { ...coinbase, extra: Buffer.concat([coinbase.extra, Buffer.alloc(zeros)]) };
}
