import { REASONS } from '@wrkz/consensus';
import {
  encodeTransactionPrefix,
  fromHex,
  MAX_EXTRA_SIZE,
  type TransactionInput,
  type TransactionPrefix,
} from '@wrkz/core-types';
import {
  deriveSecretKey,
  generateKeyDerivation,
  generateKeyImage,
  type KeyPair,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import { mapInSlices } from '@wrkz/service-kit/base';
import { checkAddress } from '../keys/addresses';
import type { SendSettings } from './check-request';
import { countUnlocked, type OwnedInput } from './coin-selection';
import type { SendPorts } from './model';
import { extraOf, outputsOf, type Payment, splitPayments } from './outputs';
import { makeRings, offsetsOf, type Ring } from './rings';
import { nodeRefusal, walletError } from '../errors';

/** An assembled transaction that lacks only the proof-of-work nonce and the signatures. */
export interface Plan extends Drawn, Layout {
  readonly settings: SendSettings;
  readonly fee: bigint;
  readonly mixin: number;
  /** Sum of the payments, without change. */
  readonly paid: bigint;
  readonly change: bigint;
}

/** The parts of a transaction that do not depend on the fee. */
interface Drawn {
  readonly keys: KeyPair;
  readonly rings: readonly Ring[];
  /** Keys of the inputs, in the order of the rings. */
  readonly inputKeys: readonly InputKeys[];
}

interface Layout {
  readonly prefix: TransactionPrefix;
  /** The outputs with their receivers. */
  readonly parts: readonly Payment[];
  readonly hasPow: boolean;
  /** Serialized size in bytes, including signatures. */
  readonly size: number;
}

/** Payments and change for a given fee. */
export interface Distribution {
  readonly payments: readonly Payment[];
  readonly change: bigint;
}

interface AssembleRequest {
  readonly settings: SendSettings;
  readonly mixin: number;
  readonly inputs: readonly OwnedInput[];
  /** Initial fee. It is raised until it suffices for the actual size. */
  readonly fee: bigint;
  /** @returns undefined when the inputs do not cover a fee */
  readonly distribute: (fee: bigint) => Distribution | undefined;
}

/** An assembled transaction exceeds the size limit. Sizes are bytes. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';

  constructor(
    readonly size: number,
    readonly maxSize: number,
  ) {
    super(`a transaction of ${size} bytes exceeds the limit of ${maxSize} bytes`);
  }
}

/**
 * Draws the rings of the inputs and assembles a transaction whose fee suffices for its actual size.
 * @returns undefined when the inputs do not cover the fee
 * @throws TooFewDecoys; TooLarge; WalletError daemonError (no global index), daemonOffline, outputDecomposition,
 * failedToCreateRingSignature, feeTooSmall (fixed fee)
 */
export async function assemble(request: AssembleRequest, ports: SendPorts): Promise<Plan | undefined> {
  const { settings, mixin, distribute } = request;
  const { context, fees, terms } = settings;
  const inputs = [...request.inputs].sort((a, b) => (a.output.amount < b.output.amount ? -1 : 1));
  const rings = await makeRings(inputs, mixin, {
    node: ports.node,
    ringOf: context.ringOf,
    ownOutputs: (amount) => countUnlocked(context, amount, ports.now()),
  });
  const inputKeys = await mapInSlices(inputs, (input) => keysOf(input, context.privateViewKey));
  const drawn: Drawn = { rings, inputKeys, keys: ports.transactionKeys() };
  for (let { fee } = request; ;) {
    const distribution = distribute(fee);
    if (distribution === undefined) return undefined;
    const layout = layOut(settings, drawn, distribution, fee);
    if (fees.fixed !== undefined && fee < fees.min(layout.size)) throw walletError.feeTooSmall();
    const needed = fees.forSize(layout.size);
    if (fee >= needed) {
      if (layout.size > terms.maxSize) throw new TooLarge(layout.size, terms.maxSize);
      const paid = distribution.payments.reduce((sum, { amount }) => sum + amount, 0n);
      return { ...layout, ...drawn, settings, fee, mixin, paid, change: distribution.change };
    }
    fee = needed;
  }
}

const SIGNATURE_SIZE = 64;

/** @throws WalletError outputDecomposition; daemonError when every pool would reject the extra */
function layOut(
  { change: { address }, data, fields, paymentId, terms, unlockTime }: SendSettings,
  { keys, rings, inputKeys }: Drawn,
  { payments, change }: Distribution,
  fee: bigint,
): Layout {
  const parts = splitPayments(withChange(payments, change, address));
  const hasPow = !terms.isPowFree(fee);
  const receiver = (payments[0] as Payment).to;
  const extra = extraOf({ keys, paymentId, data, fields, receiver, hasPow });
  if (extra.length >= MAX_EXTRA_SIZE) throw nodeRefusal(REASONS.EXTRA_TOO_LARGE.text);
  const inputs = rings.map((ring, i): TransactionInput => ({
    type: 'key',
    amount: ring.input.output.amount,
    keyOffsets: offsetsOf(ring),
    keyImage: (inputKeys[i] as InputKeys).keyImage,
  }));
  const outputs = outputsOf(parts, keys.secretKey);
  const prefix: TransactionPrefix = { version: 1, unlockTime, inputs, outputs, extra };
  const signatures = rings.reduce((sum, { members }) => sum + members.length * SIGNATURE_SIZE, 0);
  return { prefix, parts, hasPow, size: encodeTransactionPrefix(prefix).length + signatures };
}

export function withChange(payments: readonly Payment[], change: bigint, address: string): readonly Payment[] {
  if (change === 0n) return payments;
  return [...payments, { to: checkAddress(address, { allowIntegrated: false }), amount: change }];
}

/** The keys that spend an output. */
export interface InputKeys {
  /** One-time secret key. */
  readonly secret: Buffer;
  readonly keyImage: Buffer;
}

/**
 * Derives the keys of an input from the wallet's keys and compares them with the stored output, so that a damaged container
 * does not sign.
 * @throws WalletError failedToCreateRingSignature
 */
function keysOf({ output, owner }: OwnedInput, privateViewKey: string): InputKeys {
  const [transactionKey, viewSecret, spendSecret, key] = [
    output.transactionPublicKey,
    privateViewKey,
    owner.privateSpendKey ?? '',
    output.key,
  ].map((hex) => fromHex(hex, 32));
  const failure = walletError.failedToCreateRingSignature;
  if (!transactionKey || !viewSecret || !spendSecret || !key) throw failure();
  try {
    const derivation = generateKeyDerivation(transactionKey, viewSecret);
    if (derivation === null) throw failure();
    const secret = deriveSecretKey(derivation, output.outputIndex, spendSecret);
    if (!secretKeyToPublicKey(secret).equals(key)) throw failure();
    const keyImage = generateKeyImage(key, secret);
    if (output.keyImage !== undefined && output.keyImage !== keyImage.toString('hex')) throw failure();
    return { secret, keyImage };
  } catch (error) {
    // RangeError: a secret key is not below the group order.
    throw error instanceof RangeError ? failure() : error;
  }
}
