import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  encodeTransaction,
  encodeTransactionPrefix,
  POW_NONCE_SIZE,
  prefixHash,
  toHex,
  type TransactionPrefix,
} from '@wrkz/core-types';
import { generateRingSignatures } from '@wrkz/crypto';
import type { Ring } from './decoys';
import { failures } from './failures';
import type { InputKeys } from './input-keys';
import { intentOf, type SendIntent } from './intent';
import type { Plan } from './settle';
import type { SpendPorts } from './ports';
import { checkFinished } from './self-check';

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
