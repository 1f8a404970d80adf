import {
  buildExtra,
  encodeAddress,
  encodeTransaction,
  encodeTransactionPrefix,
  type KeyInput,
  parseBlock,
  parseExtraWallet,
  parseTransaction,
  type RawBlock,
  type Transaction,
  type TransactionPrefix,
} from '@wrkz/core-types';
import {
  cnFastHash,
  derivePublicKey,
  deriveSecretKey,
  generateKeyDerivation,
  generateKeyImage,
  generateRingSignatures,
  scalarReduce32,
  secretKeyToPublicKey,
  viewKeyFromSpendKey,
} from '@wrkz/crypto';
import { readJson } from './fixtures';

/** An output that a test wallet can spend. */
export interface TestWalletOutput {
  readonly amount: bigint;
  readonly globalIndex: number;
  readonly publicKey: Buffer;
  readonly secretKey: Buffer;
  /** Height of its block. */
  readonly height: number;
  /** Unlock time of its transaction. */
  readonly unlockTime: bigint;
}

/** The two secret keys of a wallet. */
export interface TestWalletKeys {
  readonly spendSecret: Buffer;
  readonly viewSecret: Buffer;
}

export interface SpendOptions {
  readonly fee: bigint;
  readonly unlockTime?: bigint;
  /** Ring members in addition to the spent output: global index and key. */
  readonly decoys?: readonly { readonly index: number; readonly key: Buffer }[];
  /** Amounts of the outputs; default one with the whole amount. */
  readonly amounts?: readonly bigint[];
  /** The last field of extra, found by the nonce search of the caller. */
  readonly powNonce?: Buffer;
}

/** A minimal wallet for tests: keys from a seed text (or given ones), finds its outputs, signs payments to itself. */
export class TestWallet {
  readonly spendSecret: Buffer;
  readonly viewSecret: Buffer;
  readonly spendPublic: Buffer;
  readonly viewPublic: Buffer;

  constructor(keys: string | TestWalletKeys) {
    const { spendSecret, viewSecret } = typeof keys === 'string' ? keysOf(keys) : keys;
    this.spendSecret = spendSecret;
    this.viewSecret = viewSecret;
    this.spendPublic = secretKeyToPublicKey(this.spendSecret);
    this.viewPublic = secretKeyToPublicKey(this.viewSecret);
  }

  get address(): string {
    return encodeAddress({ spendPublic: this.spendPublic, viewPublic: this.viewPublic });
  }

  /**
   * The outputs of a block that belong to this wallet.
   * @param indexes global indexes of the outputs, by transaction (coinbase first)
   */
  find(raw: RawBlock, height: number, indexes: readonly (readonly number[])[]): TestWalletOutput[] {
    const block = parseBlock(raw.block);
    const all = [block.coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
    return all.flatMap(({ transaction }, t) => {
      // The parser of wallets finds public keys at more positions than that of the daemon.
      const derivation = generateKeyDerivation(parseExtraWallet(transaction.extra).publicKey, this.viewSecret);
      if (derivation === null) return [];
      return transaction.outputs.flatMap((output, i) => {
        if (!derivePublicKey(derivation, i, this.spendPublic)?.equals(output.key)) return [];
        const globalIndex = indexes[t]?.[i];
        if (globalIndex === undefined) throw new RangeError('an output has no global index');
        const secretKey = deriveSecretKey(derivation, i, this.spendSecret);
        return [
          {
            amount: output.amount,
            globalIndex,
            publicKey: output.key,
            secretKey,
            height,
            unlockTime: transaction.unlockTime,
          },
        ];
      });
    });
  }

  /** A signed transaction that pays the output, less the fee, back to this wallet. */
  spend(output: TestWalletOutput, options: SpendOptions): Buffer {
    return this.sign(this.prefix(output, options), output, options);
  }

  prefix(output: TestWalletOutput, options: SpendOptions): TransactionPrefix {
    const { fee, unlockTime = 0n, decoys = [], amounts = [output.amount - fee] } = options;
    // Derived from the output and the fee: spending an output twice with the same fee creates the same transaction.
    const transactionSecret = scalarReduce32(cnFastHash(Buffer.concat([output.secretKey, Buffer.from(String(fee))])));
    const derivation = generateKeyDerivation(this.viewPublic, transactionSecret);
    const ring = ringOf(output, decoys);
    const input: KeyInput = {
      type: 'key',
      amount: output.amount,
      keyOffsets: ring.map(({ index }, i) => index - (ring[i - 1]?.index ?? 0)),
      keyImage: generateKeyImage(output.publicKey, output.secretKey),
    };
    const { powNonce } = options;
    return {
      version: 1,
      unlockTime,
      inputs: [input],
      outputs: amounts.map((amount, i) => {
        const key = derivation === null ? null : derivePublicKey(derivation, i, this.spendPublic);
        if (key === null) throw new RangeError('the keys of the wallet are not points of the curve');
        return { amount, key };
      }),
      extra: buildExtra({ publicKey: secretKeyToPublicKey(transactionSecret), ...(powNonce && { powNonce }) }),
    };
  }

  sign(prefix: TransactionPrefix, output: TestWalletOutput, { decoys = [] }: SpendOptions): Buffer {
    const ring = ringOf(output, decoys);
    const [input] = prefix.inputs;
    if (input?.type !== 'key') throw new RangeError('the transaction spends nothing');
    const signatures = generateRingSignatures(
      cnFastHash(encodeTransactionPrefix(prefix)),
      input.keyImage,
      ring.map(({ key }) => key),
      output.secretKey,
      ring.findIndex(({ index }) => index === output.globalIndex),
    );
    const transaction: Transaction = { ...prefix, signatures: [signatures] };
    return encodeTransaction(transaction);
  }
}

function keysOf(seed: string): TestWalletKeys {
  const spendSecret = scalarReduce32(cnFastHash(Buffer.from(seed)));
  return { spendSecret, viewSecret: viewKeyFromSpendKey(spendSecret) };
}

function ringOf(
  { globalIndex, publicKey }: TestWalletOutput,
  decoys: readonly { readonly index: number; readonly key: Buffer }[],
): { index: number; key: Buffer }[] {
  return [{ index: globalIndex, key: publicKey }, ...decoys].sort((a, b) => a.index - b.index);
}

interface ExpectedWallet {
  readonly keys?: {
    readonly privateViewKey: string;
    readonly addresses: readonly { readonly privateSpendKey: string }[];
  };
}

/** The wallets of chain A whose keys are recorded, the primary address of each, by name. */
export function chainAWallet(name: string): TestWallet {
  const { wallets } = readJson<{ wallets: Record<string, ExpectedWallet> }>('devnet/chain-a-expected.json');
  const keys = wallets[name]?.keys;
  const [first] = keys?.addresses ?? [];
  if (keys === undefined || first === undefined) throw new RangeError(`chain A has no keys of ${name}`);
  return new TestWallet({
    spendSecret: Buffer.from(first.privateSpendKey, 'hex'),
    viewSecret: Buffer.from(keys.privateViewKey, 'hex'),
  });
}
