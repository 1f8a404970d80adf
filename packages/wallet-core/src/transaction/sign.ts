import {
  encodeTransaction,
  encodeTransactionPrefix,
  POW_NONCE_SIZE,
  prefixHash,
  toHex,
  type TransactionPrefix,
} from '@wrkz/core-types';
import { generateRingSignatures } from '@wrkz/crypto';
import { yieldToEventLoop } from '@wrkz/service-kit/base';
import type { PendingSend, Transfer } from '../ledger/model';
import type { Plan } from './assemble';
import type { InputKeys } from './input-keys';
import { spendKeyOf } from './check-request';
import type { SendPorts, SignedSend } from './model';
import type { Ring } from './rings';
import { checkFinished } from './self-check';
import { walletError } from '../errors';

/** What to write down of a plan once its hash is known. */
export function pendingOf(plan: Plan, hash: string): PendingSend {
  const { frame, rings, pieces, prefix, fee, keys, change } = plan;
  const inputs = rings.map(({ input }) => ({ output: input.output, publicSpendKey: input.owner.publicSpendKey }));
  const own = new Set(frame.view.subWallets.map(({ publicSpendKey }) => publicSpendKey));
  const ownOutputs = pieces.flatMap(({ to, amount }, outputIndex): PendingSend['ownOutputs'][number][] => {
    const publicSpendKey = spendKeyOf(to);
    const key = prefix.outputs[outputIndex]?.key.toString('hex') ?? '';
    return own.has(publicSpendKey) ? [{ publicSpendKey, amount, key }] : [];
  });
  return {
    hash,
    inputs,
    ownOutputs,
    fee,
    paymentId: frame.paymentId,
    unlockTime: frame.unlockTime,
    transactionSecretKey: keys.secretKey.toString('hex'),
    transfers: transfersOf(inputs, { publicSpendKey: frame.change.publicSpendKey, amount: change }),
  };
}

function transfersOf(inputs: PendingSend['inputs'], change: Transfer): Transfer[] {
  const sums = new Map<string, bigint>();
  const add = (key: string, amount: bigint): void => void sums.set(key, (sums.get(key) ?? 0n) + amount);
  for (const { publicSpendKey, output } of inputs) add(publicSpendKey, -output.amount);
  if (change.amount > 0n) add(change.publicSpendKey, change.amount);
  return [...sums].map(([publicSpendKey, amount]) => ({ publicSpendKey, amount }));
}

/** Does the work, signs, and judges the result as a node's pool would. @throws WalletError 20, 31, 32, 44, 45 */
export async function finish(plan: Plan, ports: SendPorts): Promise<SignedSend> {
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
    pending: pendingOf(plan, hash),
    rings: plan.rings.map(({ members }, i) => ({
      keyImage: toHex((plan.inputKeys[i] as InputKeys).keyImage),
      members: members.map(({ index, key }) => ({ index, key: toHex(key) })),
    })),
  };
}

/** The prefix with its nonce found. */
async function worked({ prefix, frame: { terms } }: Plan, ports: SendPorts): Promise<TransactionPrefix> {
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
      if (error instanceof RangeError) throw walletError.failedToCreateRingSignature();
      throw error;
    }
    await yieldToEventLoop();
  }
  return signatures;
}
