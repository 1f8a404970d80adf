import type { Transfer, WalletOutput } from '../ledger/model';
import type { Plan } from './settle';
import { spendKeyOf } from './addresses';

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
