import { isUnlocked, transactionPowDifficulty, transactionPowSearch } from '@wrkz/consensus';
import {
  buildExtra,
  COINBASE_UNLOCK_WINDOW,
  encodeTransactionPrefix,
  networkOf,
  parseBlock,
  parseExtraWallet,
  parseTransaction,
  type ParsedTransaction,
  POW_NONCE_SIZE,
  splitIntoDenominations,
  type TransactionPrefix,
} from '@wrkz/core-types';
import { generateKeyImage, generateKeyPair, searchNonce } from '@wrkz/crypto';
import { CHAIN_A_HEIGHT, chainA } from './chain-a';
import type { TestNodeClient } from './node-client';
import type { SeededRandom } from './seeded-random';
import type { TestWalletOutput, TestWallet, SpendOptions } from './test-wallet';

const network = networkOf('devnet');
/** Unlock time of a new transaction in blocks: far above the minimum, so that it stays valid for some blocks. */
const LOCK = 100n;

/** Finds the 8 bytes at the end of a serialized prefix whose hash meets the difficulty of the height. */
export type FindNonce = (prefix: Buffer, difficulty: bigint, height: number) => Promise<Buffer>;

/** Searches on local threads. */
export const findNonceHere: FindNonce = async (prefix, difficulty) => {
  const found = await searchNonce(transactionPowSearch(prefix, difficulty));
  if (found === null) throw new Error('no nonce meets the difficulty');
  return found.nonceBytes;
};

/** The outputs that a wallet can spend at the tip of chain A, oldest first. */
export function unspentOnChainA(wallet: TestWallet): TestWalletOutput[] {
  const indexes = new GlobalIndexes();
  const spent = new Set<string>();
  const own: TestWalletOutput[] = [];
  chainA().forEach((raw, height) => {
    const all = [parseBlock(raw.block).coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
    for (const { transaction } of all) {
      for (const input of transaction.inputs) if (input.type === 'key') spent.add(input.keyImage.toString('hex'));
    }
    own.push(
      ...wallet.find(
        raw,
        height,
        all.map((transaction) => indexes.take(transaction)),
      ),
    );
  });
  const { timestamp } = parseBlock(chainA()[CHAIN_A_HEIGHT]?.block ?? Buffer.alloc(0)).block;
  const at = { height: CHAIN_A_HEIGHT, timestamp: Number(timestamp) };
  return own.filter(
    ({ unlockTime, publicKey, secretKey }) =>
      isUnlocked(unlockTime, at) && !spent.has(generateKeyImage(publicKey, secretKey).toString('hex')),
  );
}

/** Min amount of an output that tests spend, so that it covers their fees. */
const MIN_AMOUNT = 100_000n;

/** Unspent outputs above `MIN_AMOUNT` whose amount has enough decoys for the current ring size. */
export async function spendable(node: TestNodeClient, wallet: TestWallet): Promise<TestWalletOutput[]> {
  const { default: max } = network.rulesAt(CHAIN_A_HEIGHT).mixin;
  const unspent = unspentOnChainA(wallet).filter(
    ({ amount, height }) => amount >= MIN_AMOUNT && height + COINBASE_UNLOCK_WINDOW <= CHAIN_A_HEIGHT,
  );
  const usable: TestWalletOutput[] = [];
  for (const output of unspent) {
    const others = await decoys(node, output, max).catch(() => []);
    if (others.length >= max) usable.push(output);
  }
  return usable;
}

/** Decoys for an output, at most `count`; the node returns 400 if the amount is too rare. */
async function decoys(
  node: TestNodeClient,
  output: TestWalletOutput,
  count: number,
): Promise<{ index: number; key: Buffer }[]> {
  const { outs } = await node.post<RandomOuts>('/getrandom_outs', {
    amounts: [Number(output.amount)],
    outs_count: count + 1,
  });
  return (outs[0]?.outs ?? [])
    .filter(({ global_amount_index: index }) => index !== output.globalIndex)
    .slice(0, count)
    .map(({ global_amount_index: index, out_key: key }) => ({ index, key: Buffer.from(key, 'hex') }));
}

interface RandomOuts {
  readonly outs: readonly {
    readonly outs: readonly { readonly global_amount_index: number; readonly out_key: string }[];
  }[];
}

export interface Spend {
  readonly transaction: Buffer;
  readonly hash: string;
  /** The serialized prefix for the proof of work, with nonce 0. */
  readonly prefix: Buffer;
  readonly difficulty: bigint;
}

/**
 * Builds and signs a transaction that spends one output of chain A back to its wallet, by the rules after `height`: a ring
 * of decoys selected by the node, outputs in denominations, an unlock time, the public key and the proof of work in extra.
 */
export async function buildSpend(
  node: TestNodeClient,
  wallet: TestWallet,
  output: TestWalletOutput,
  { height, fee, findNonce }: { height: number; fee: bigint; findNonce: FindNonce },
): Promise<Spend> {
  const options: SpendOptions = {
    fee,
    unlockTime: BigInt(height) + LOCK,
    decoys: await decoys(node, output, network.rulesAt(height).mixin.default),
    amounts: splitIntoDenominations(output.amount - fee),
    powNonce: Buffer.alloc(POW_NONCE_SIZE),
  };
  const unsolved = wallet.prefix(output, options);
  const prefix = encodeTransactionPrefix(unsolved);
  const difficulty = transactionPowDifficulty(unsolved, network, height);
  const powNonce = await findNonce(prefix, difficulty, height);
  const transaction = wallet.spend(output, { ...options, powNonce });
  return { transaction, hash: parseTransaction(transaction).hash.toString('hex'), prefix, difficulty };
}

/** An output of a wallet, in the form of `@wrkz/wallet-core`. */
interface OwnOutput {
  readonly amount: bigint;
  readonly globalIndex: number | undefined;
  readonly key: string;
  readonly privateEphemeral: string | undefined;
  readonly blockHeight: number;
  readonly unlockTime: bigint;
}

/** Blocks after which copies are unlocked: above the minimum of the pool. */
const COPY_LOCK = 40n;
/** Above the flat fee of some heights. */
const COPY_FEE = 60_000n;
/** The smallest output for `buildCopy` that is not used yet and unlocked at a height. */
export function smallestCopyInput<T extends OwnOutput>(
  unspent: readonly T[],
  used: ReadonlySet<string>,
  height: number,
): T | undefined {
  return unspent
    .filter(({ key, globalIndex }) => globalIndex !== undefined && !used.has(key))
    .filter(({ amount, unlockTime }) => amount >= MIN_AMOUNT && unlockTime <= height)
    .toSorted((a, b) => Number(a.amount - b.amount))[0];
}

/**
 * A transaction of a stranger with the public key and the output keys of another one. The owner finds both outputs of a key, of
 * which only one can be spent. Most of the copies are dust, some are as large as the original or larger. The rest of the
 * spent output is burned.
 * @param height of the tip
 * @param original the serialized transaction with the keys
 */
export async function buildCopy(
  node: TestNodeClient,
  stranger: TestWallet,
  own: OwnOutput,
  { height, original, random }: { height: number; original: Buffer; random: SeededRandom },
): Promise<Buffer> {
  const output: TestWalletOutput = {
    ...{ amount: own.amount, globalIndex: own.globalIndex ?? 0, height: own.blockHeight, unlockTime: own.unlockTime },
    publicKey: Buffer.from(own.key, 'hex'),
    secretKey: Buffer.from(own.privateEphemeral ?? '', 'hex'),
  };
  const ring = await decoys(node, output, network.rulesAt(height).mixin.default);
  const unlockTime = BigInt(height) + (random.oneIn(4) ? LOCK : COPY_LOCK);
  const options = { fee: COPY_FEE, unlockTime, decoys: ring };
  let left = output.amount - COPY_FEE;
  const amountOf = (amount: bigint): bigint => {
    if (random.oneIn(4) && amount * 20n < left) return amount * 10n;
    if (random.oneIn(6) && amount * 2n < left) return amount;
    return BigInt(1 + random.below(9));
  };
  const { transaction } = parseTransaction(original);
  const copies = transaction.outputs.map(({ key, amount }) => {
    const copied = amountOf(amount);
    left -= copied;
    return { key, amount: copied };
  });
  const rest = splitIntoDenominations(left).map((amount) => ({ amount, key: generateKeyPair().publicKey }));
  const { publicKey } = parseExtraWallet(transaction.extra);
  const prefixWith = (powNonce: Buffer): TransactionPrefix => ({
    ...stranger.prefix(output, options),
    outputs: [...copies, ...rest],
    extra: buildExtra({ publicKey, powNonce }),
  });
  const unsolved = prefixWith(Buffer.alloc(POW_NONCE_SIZE));
  const difficulty = transactionPowDifficulty(unsolved, network, height);
  const powNonce = await findNonceHere(encodeTransactionPrefix(unsolved), difficulty, height);
  return stranger.sign(prefixWith(powNonce), output, options);
}

/** Counts outputs by amount, in the order of the chain. */
class GlobalIndexes {
  private readonly next = new Map<bigint, number>();

  take({ transaction }: ParsedTransaction): number[] {
    return transaction.outputs.map(({ amount }) => {
      const index = this.next.get(amount) ?? 0;
      this.next.set(amount, index + 1);
      return index;
    });
  }
}
