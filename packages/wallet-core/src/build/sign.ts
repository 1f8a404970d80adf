import {
  encodeTransaction,
  encodeTransactionPrefix,
  fromHex,
  POW_NONCE_SIZE,
  prefixHash,
  toHex,
  type TransactionPrefix,
} from '@wrkz/core-types';
import {
  deriveSecretKey,
  generateKeyDerivation,
  generateKeyImage,
  generateRingSignatures,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transfer, WalletOutput } from '../ledger/model';
import type { Plan } from './assemble';
import { spendKeyOf } from './check-request';
import type { OwnedInput } from './coin-selection';
import { failures } from './failures';
import type { SpendPorts } from './model';
import type { Ring } from './rings';
import { checkFinished } from './self-check';
import { mapBreathing } from './yielding';

/** An input of a send, and whose it is. */
export interface IntentInput {
  readonly output: WalletOutput;
  readonly publicSpendKey: string;
}

/** An output of a send that comes back to the wallet: change, or a payment to an address of its own. */
export interface IntentOutput {
  readonly publicSpendKey: string;
  readonly amount: bigint;
  /** The one-time key. */
  readonly key: string;
  readonly outputIndex: number;
}

/**
 * All that a wallet writes down of a send before it leaves (docs/protocol/wallet.md#recording), so that neither a crash
 * nor a lost answer makes it forgotten.
 */
export interface SendIntent {
  readonly hash: string;
  readonly inputs: readonly IntentInput[];
  readonly ownOutputs: readonly IntentOutput[];
  readonly fee: bigint;
  /** As it was given: a short one cannot be read back from the chain. */
  readonly paymentId: string;
  readonly unlockTime: bigint;
  readonly transactionSecretKey: string;
  readonly transactionPublicKey: string;
  /** What each own key gives, less its change; payments to own addresses are not in it, as the network's wallets show it. */
  readonly transfers: readonly Transfer[];
}

/** What to write down of a plan once its hash is known. */
export function intentOf(plan: Plan, hash: string): SendIntent {
  const { frame, rings, pieces, prefix, fee, keys, change } = plan;
  const inputs = rings.map(({ input }) => ({ output: input.output, publicSpendKey: input.owner.publicSpendKey }));
  const own = new Set(frame.view.subWallets.map(({ publicSpendKey }) => publicSpendKey));
  const ownOutputs = pieces.flatMap(({ to, amount }, outputIndex): IntentOutput[] => {
    const publicSpendKey = spendKeyOf(to);
    const key = prefix.outputs[outputIndex]?.key.toString('hex') ?? '';
    return own.has(publicSpendKey) ? [{ publicSpendKey, amount, key, outputIndex }] : [];
  });
  return {
    hash,
    inputs,
    ownOutputs,
    fee,
    paymentId: frame.paymentId,
    unlockTime: frame.unlockTime,
    transactionSecretKey: keys.secretKey.toString('hex'),
    transactionPublicKey: keys.publicKey.toString('hex'),
    transfers: transfersOf(inputs, { publicSpendKey: frame.change.publicSpendKey, amount: change }),
  };
}

function transfersOf(inputs: readonly IntentInput[], change: Transfer): Transfer[] {
  const sums = new Map<string, bigint>();
  const add = (key: string, amount: bigint): void => void sums.set(key, (sums.get(key) ?? 0n) + amount);
  for (const { publicSpendKey, output } of inputs) add(publicSpendKey, -output.amount);
  if (change.amount > 0n) add(change.publicSpendKey, change.amount);
  return [...sums].map(([publicSpendKey, amount]) => ({ publicSpendKey, amount }));
}

/** A transaction that is ready to leave. */
export interface BuiltSend {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly fee: bigint;
  /** Decoys in each ring. */
  readonly mixin: number;
  /** What the network's wallets take at this height. */
  readonly defaultMixin: number;
  readonly intent: SendIntent;
}

/** Does the work, signs, and judges the result as a node's pool would. @throws WalletError 20, 31, 32, 44, 45 */
export async function finish(plan: Plan, ports: SpendPorts): Promise<BuiltSend> {
  ports.signal?.throwIfAborted();
  const prefix = plan.hasWork ? await worked(plan, ports) : plan.prefix;
  const signatures = await sign(prefix, plan.rings, plan.inputKeys);
  const bytes = encodeTransaction({ ...prefix, signatures });
  const parsed = await checkFinished(bytes, plan, ports.now());
  const hash = toHex(parsed.hash);
  return {
    bytes,
    hash,
    fee: plan.fee,
    mixin: plan.mixin,
    defaultMixin: plan.frame.terms.mixin.default,
    intent: intentOf(plan, hash),
  };
}

/** The prefix with its nonce found. */
async function worked({ prefix, frame: { terms } }: Plan, ports: SpendPorts): Promise<TransactionPrefix> {
  const { nonce } = await ports.pow.findNonce({
    prefix: encodeTransactionPrefix(prefix),
    difficulty: terms.difficulty(prefix),
    height: terms.networkHeight,
    ...(ports.signal === undefined ? {} : { signal: ports.signal }),
  });
  return { ...prefix, extra: Buffer.concat([prefix.extra.subarray(0, -POW_NONCE_SIZE), nonce]) };
}

/** One input a turn of the event loop: a signature takes up to a millisecond. */
async function sign(
  prefix: TransactionPrefix,
  rings: readonly Ring[],
  inputKeys: readonly InputKeys[],
): Promise<Buffer[]> {
  const hash = prefixHash(prefix);
  const signatures: Buffer[] = [];
  for (const [i, { members, real }] of rings.entries()) {
    const { secret, keyImage } = inputKeys[i] as InputKeys;
    const ringKeys = members.map(({ key }) => key);
    try {
      signatures.push(generateRingSignatures(hash, keyImage, ringKeys, secret, real));
    } catch (error) {
      if (error instanceof RangeError) throw failures.ringSignature();
      throw error;
    }
    await nextTurn();
  }
  return signatures;
}

/** What it takes to spend an output. */
export interface InputKeys {
  /** The one-time secret. */
  readonly secret: Buffer;
  readonly keyImage: Buffer;
}

/**
 * The secrets of inputs, made anew from the wallet's keys and compared with what it holds: a container that is damaged
 * here must not sign.
 * @throws WalletError 20
 */
export function keysOfInputs(inputs: readonly OwnedInput[], privateViewKey: string): Promise<InputKeys[]> {
  return mapBreathing(inputs, (input) => {
    const keys = derive(input, privateViewKey);
    if (keys === undefined) throw failures.ringSignature();
    return keys;
  });
}

function derive({ output, owner }: OwnedInput, privateViewKey: string): InputKeys | undefined {
  const [transactionKey, viewSecret, spendSecret, key] = [
    output.transactionPublicKey,
    privateViewKey,
    owner.privateSpendKey ?? '',
    output.key,
  ].map((hex) => fromHex(hex, 32));
  if (!transactionKey || !viewSecret || !spendSecret || !key) return undefined;
  try {
    const derivation = generateKeyDerivation(transactionKey, viewSecret);
    if (derivation === null) return undefined;
    const secret = deriveSecretKey(derivation, output.outputIndex, spendSecret);
    if (!secretKeyToPublicKey(secret).equals(key)) return undefined;
    const keyImage = generateKeyImage(key, secret);
    if (output.keyImage !== undefined && output.keyImage !== keyImage.toString('hex')) return undefined;
    return { secret, keyImage };
  } catch (error) {
    if (error instanceof RangeError) return undefined; // a secret beyond the group order
    throw error;
  }
}
