import {
  encodeAddress,
  isPaymentId,
  type Network,
  networkOf,
  parseExtra,
  type ParsedTransaction,
  toHex,
  type WalletExtra,
} from '@wrkz/core-types';
import {
  cnFastHash,
  derivePublicKey,
  deriveSecretKey,
  encryptPaymentId,
  generateKeyDerivation,
  generateKeyImage,
  generateKeyPair,
  scalarReduce32,
  secretKeyToPublicKey,
  viewKeyFromSpendKey,
} from '@wrkz/crypto';
import { DEFAULT_POW_SERVER, PowClient } from '../../src';
import type { SubWallet, WalletOutput } from '../../src/ledger/model';
import type { RingDependencies } from '../../src/transaction/rings';
import type {
  DecoySet,
  RandomOutsResult,
  SubmitResult,
  SendNode,
  SendPorts,
  SendContext,
  TransactionStatus,
} from '../../src/transaction/model';

/* Wallets with invented outputs and a fake node, for tests of sends without a chain. */

export const NOW = 1_800_000_000;
export const devnet = networkOf('devnet');

/** The rules of mainnet with a proof of work that is easy enough for tests. */
export const easyMainnet: Network = {
  ...networkOf('mainnet'),
  rulesAt: (height) => {
    const rules = networkOf('mainnet').rulesAt(height);
    const { txPow } = rules;
    if (txPow === undefined) return rules;
    const scaled = { base: txPow.base / 1000n, perIo: txPow.perIo / 1000n, fusion: txPow.fusion / 1000n };
    return { ...rules, txPow: { ...txPow, ...scaled } };
  },
};

const secretOf = (word: string): Buffer => scalarReduce32(cnFastHash(Buffer.from(word)));

/** One-time keys of foreign outputs. */
const strangers = Array.from({ length: 64 }, (_, i) => toHex(secretKeyToPublicKey(secretOf(`stranger ${i}`))));

export interface Owner {
  readonly spendSecret: Buffer;
  readonly viewSecret: Buffer;
  readonly address: string;
  readonly spendPublic: Buffer;
  readonly viewPublic: Buffer;
}

export function owner(word: string, viewSecret = viewKeyFromSpendKey(secretOf(word))): Owner {
  const spendSecret = secretOf(word);
  const [spendPublic, viewPublic] = [secretKeyToPublicKey(spendSecret), secretKeyToPublicKey(viewSecret)];
  return { spendSecret, viewSecret, spendPublic, viewPublic, address: encodeAddress({ spendPublic, viewPublic }) };
}

let serial = 0;

/** An unspent output of an owner. */
export function outputFor(to: Owner, amount: bigint, more: Partial<WalletOutput> = {}): WalletOutput {
  const number = ++serial;
  const transactionSecret = secretOf(`transaction ${number}`);
  const derivation = generateKeyDerivation(to.viewPublic, transactionSecret)!;
  const outputIndex = number % 3;
  const key = derivePublicKey(derivation, outputIndex, to.spendPublic)!;
  const secret = deriveSecretKey(derivation, outputIndex, to.spendSecret);
  return {
    keyImage: toHex(generateKeyImage(key, secret)),
    amount,
    blockHeight: 1,
    transactionPublicKey: toHex(secretKeyToPublicKey(transactionSecret)),
    outputIndex,
    globalIndex: 1000 + number,
    key: toHex(key),
    spendHeight: 0,
    unlockTime: 0n,
    parentTransactionHash: toHex(cnFastHash(Buffer.from(`parent ${number}`))),
    privateEphemeral: undefined,
    spendingTransactionHash: undefined,
    ...more,
  };
}

export function subWalletOf(who: Owner, unspent: readonly WalletOutput[], more: Partial<SubWallet> = {}): SubWallet {
  return {
    walletIndex: 0,
    publicSpendKey: toHex(who.spendPublic),
    privateSpendKey: toHex(who.spendSecret),
    address: who.address,
    isPrimary: true,
    syncStartTimestamp: 0,
    syncStartHeight: 0,
    unspent,
    locked: [],
    spent: [],
    unconfirmedIncoming: [],
    ...more,
  };
}

export function viewOf(subWallets: readonly SubWallet[], more: Partial<SendContext> = {}): SendContext {
  const localHeight = more.localHeight ?? 720;
  return {
    network: devnet,
    localHeight,
    networkHeight: localHeight,
    appliedHeight: more.networkHeight ?? localHeight,
    contested: [],
    ringOf: () => undefined,
    privateViewKey: toHex(owner('alice').viewSecret),
    isViewWallet: false,
    subWallets,
    ...more,
  };
}

export const alice = owner('alice');
export const bob = owner('bob');

/** A wallet of alice with outputs of these amounts. */
export function aliceWith(amounts: readonly bigint[], more: Partial<SendContext> = {}): SendContext {
  return viewOf(
    [
      subWalletOf(
        alice,
        amounts.map((amount) => outputFor(alice, amount)),
      ),
    ],
    more,
  );
}

/** A node that returns as many decoys as requested, and records its requests. */
export class FakeNode implements SendNode {
  readonly requests: { amounts: readonly bigint[]; count: number }[] = [];
  readonly relayed: Buffer[] = [];
  /** Results of the submissions in order; the last one repeats. */
  submitResults: (SubmitResult | Error)[] = [{ kind: 'accepted' }];
  place: TransactionStatus = 'unknown';
  /** The reasons of `reportFaulty`. */
  readonly faults: string[] = [];
  /** The result of `reportFaulty`. */
  hasAnother = false;

  /** @param change makes the result from valid sets @param attempt counts from 1 */
  constructor(
    private readonly change: (sets: DecoySet[], attempt: number) => RandomOutsResult = (sets) => ({
      kind: 'outs',
      sets,
    }),
  ) {}

  randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsResult> {
    this.requests.push({ amounts, count });
    return Promise.resolve(
      this.change(
        amounts.map((amount, a) => ({
          amount,
          outputs: Array.from({ length: count }, (_, i) => ({
            globalIndex: 7 * i + a,
            key: strangers[(7 * i + a) % strangers.length]!,
          })),
        })),
        this.requests.length,
      ),
    );
  }

  submit(transaction: Buffer): Promise<SubmitResult> {
    this.relayed.push(transaction);
    const result = this.submitResults.length > 1 ? this.submitResults.shift()! : this.submitResults[0]!;
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  }

  reportFaulty(reason: string): Promise<boolean> {
    this.faults.push(reason);
    return Promise.resolve(this.hasAnother);
  }

  transactionStatus(): Promise<TransactionStatus> {
    return Promise.resolve(this.place);
  }
}

export function portsOf(node: SendNode = new FakeNode(), more: Partial<SendPorts> = {}): SendPorts {
  return { node, pow: new PowClient(DEFAULT_POW_SERVER), transactionKeys: generateKeyPair, now: () => NOW, ...more };
}

/** The dependencies of `makeRings`, for a wallet without other outputs. */
export function ringSources(node: SendNode, more: Partial<RingDependencies> = {}): RingDependencies {
  return { node, ringOf: () => undefined, ownOutputs: () => 0, ...more };
}

/** The outputs of a transaction for an owner, found like by a receiving wallet. */
export function receivedBy(who: Owner, { transaction }: ParsedTransaction): { amount: bigint; place: number }[] {
  const { publicKey } = parseExtra(transaction.extra);
  const derivation = publicKey && generateKeyDerivation(publicKey, who.viewSecret);
  if (!derivation) return [];
  return transaction.outputs.flatMap(({ amount, key }, place) =>
    derivePublicKey(derivation, place, who.spendPublic)?.equals(key) ? [{ amount, place }] : [],
  );
}

/** The payment id as decrypted by its receiver. */
export function decryptedId({ paymentId, publicKey }: WalletExtra, who: Owner): string {
  if (paymentId.length !== 16 || !isPaymentId(paymentId)) return paymentId;
  return encryptPaymentId(Buffer.from(paymentId, 'hex'), generateKeyDerivation(publicKey, who.viewSecret)!).toString(
    'hex',
  );
}
