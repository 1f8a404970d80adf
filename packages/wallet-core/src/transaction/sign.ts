import {
  encodeTransaction,
  encodeTransactionPrefix,
  POW_NONCE_SIZE,
  prefixHash,
  toHex,
  type TransactionPrefix,
} from '@wrkz/core-types';
import { generateRingSignatures, secretKeyToPublicKey } from '@wrkz/crypto';
import { yieldToEventLoop } from '@wrkz/service-kit/base';
import type { PendingSend, Transfer } from '../ledger/model';
import type { InputKeys, Plan } from './assemble';
import type { SendPorts, SignedSend } from './model';
import { selfCheck } from './self-check';
import { walletError } from '../errors';

/** Finds the proof of work, signs, and checks the result. @throws WalletError of `selfCheck`; the reason of `ports.signal` */
export async function signPlan(plan: Plan, ports: SendPorts): Promise<SignedSend> {
  ports.signal?.throwIfAborted();
  const prefix = plan.hasPow ? await withNonce(plan, ports) : plan.prefix;
  const signatures = await ringSignatures(prefix, plan);
  const bytes = encodeTransaction({ ...prefix, signatures });
  const parsed = await selfCheck(bytes, plan, ports.now());
  const hash = toHex(parsed.hash);
  const { mixin: requested } = plan.settings;
  if (plan.mixin < requested) ports.onRingFallback?.({ requested, used: plan.mixin });
  return {
    bytes,
    hash,
    fee: plan.fee,
    mixin: plan.mixin,
    defaultMixin: plan.settings.terms.mixin.default,
    pending: pendingOf(plan, hash),
    rings: plan.rings.map(({ members }, i) => ({
      keyImage: toHex((plan.inputKeys[i] as InputKeys).keyImage),
      members,
    })),
  };
}

async function withNonce({ prefix, settings: { terms } }: Plan, ports: SendPorts): Promise<TransactionPrefix> {
  const { nonce } = await ports.pow.findNonce({
    prefix: encodeTransactionPrefix(prefix),
    difficulty: terms.difficulty(prefix),
    height: terms.networkHeight,
    ...(ports.signal === undefined ? {} : { signal: ports.signal }),
  });
  return { ...prefix, extra: Buffer.concat([prefix.extra.subarray(0, -POW_NONCE_SIZE), nonce]) };
}

/** Signs the inputs and yields to the event loop after each of them: a signature takes up to a millisecond. */
async function ringSignatures(prefix: TransactionPrefix, { rings, inputKeys }: Plan): Promise<Buffer[]> {
  const hash = prefixHash(prefix);
  const signatures: Buffer[] = [];
  for (const [i, { members, real }] of rings.entries()) {
    const { secret, keyImage } = inputKeys[i] as InputKeys;
    const ringKeys = members.map(({ key }) => Buffer.from(key, 'hex'));
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

/** The record of a transaction for the ledger. */
function pendingOf(plan: Plan, hash: string): PendingSend {
  const { settings, rings, parts, prefix, fee, keys, change } = plan;
  const inputs = rings.map(({ input }) => ({ output: input.output, publicSpendKey: input.owner.publicSpendKey }));
  const own = new Set(settings.context.subWallets.map(({ publicSpendKey }) => publicSpendKey));
  const viewPublic = secretKeyToPublicKey(Buffer.from(settings.context.privateViewKey, 'hex'));
  const ownOutputs = parts.flatMap(({ to, amount }, outputIndex): PendingSend['ownOutputs'][number][] => {
    const publicSpendKey = toHex(to.spendPublic);
    const key = prefix.outputs[outputIndex]?.key.toString('hex') ?? '';
    // Without the view key of the wallet, it neither finds the output nor can spend it.
    return own.has(publicSpendKey) && to.viewPublic.equals(viewPublic) ? [{ publicSpendKey, amount, key }] : [];
  });
  return {
    hash,
    inputs,
    ownOutputs,
    fee,
    paymentId: settings.paymentId,
    unlockTime: settings.unlockTime,
    transactionSecretKey: keys.secretKey.toString('hex'),
    transfers: transfersOf(inputs, { publicSpendKey: settings.change.publicSpendKey, amount: change }),
  };
}

function transfersOf(inputs: PendingSend['inputs'], change: Transfer): Transfer[] {
  const sums = new Map<string, bigint>();
  const add = (key: string, amount: bigint): void => void sums.set(key, (sums.get(key) ?? 0n) + amount);
  for (const { publicSpendKey, output } of inputs) add(publicSpendKey, -output.amount);
  if (change.amount > 0n) add(change.publicSpendKey, change.amount);
  return [...sums].map(([publicSpendKey, amount]) => ({ publicSpendKey, amount }));
}
