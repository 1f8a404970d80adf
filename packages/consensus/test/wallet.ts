import { encodeTransaction, parseExtra, parseTransaction, prefixHash } from '@wrkz/core-types';
import type {
  ParsedTransaction,
  Transaction,
  TransactionInput,
  TransactionOutput,
  TransactionPrefix,
} from '@wrkz/core-types';
import {
  derivePublicKey,
  deriveSecretKey,
  generateKeyDerivation,
  generateKeyImage,
  generateRingSignatures,
} from '@wrkz/crypto';
import { ringIndexes, type ChainView } from '@wrkz/consensus';
import { readJson } from '@wrkz/testing/fixtures';
import { chainA } from './chain-a';

/* Outputs of chain A with known keys, and signed transactions that spend them. */

interface WalletKeys {
  privateViewKey: string;
  addresses: { privateSpendKey: string; publicSpendKey: string }[];
}

/** An output with its secret key. */
export interface OwnedOutput {
  readonly amount: bigint;
  readonly globalIndex: number;
  readonly key: Buffer;
  readonly secret: Buffer;
  readonly keyImage: Buffer;
  readonly height: number;
  readonly unlockTime: bigint;
}

export function walletKeys(name: string): { viewSecret: Buffer; spendSecret: Buffer; spendPublic: Buffer } {
  const { wallets } = readJson<{ wallets: Record<string, { keys: WalletKeys }> }>('devnet/chain-a-expected.json');
  const keys = wallets[name]!.keys;
  const [address] = keys.addresses;
  return {
    viewSecret: Buffer.from(keys.privateViewKey, 'hex'),
    spendSecret: Buffer.from(address!.privateSpendKey, 'hex'),
    spendPublic: Buffer.from(address!.publicSpendKey, 'hex'),
  };
}

/** Coinbase outputs of one amount to the first address of a wallet, oldest first. */
export function ownedCoinbases(name: string, amount: bigint): OwnedOutput[] {
  const { viewSecret, spendSecret, spendPublic } = walletKeys(name);
  const owned: OwnedOutput[] = [];
  let globalIndex = 0;
  chainA().forEach(({ block, transactions }, height) => {
    for (const parsed of [block.coinbase, ...transactions]) {
      const { publicKey } = parseExtra(parsed.transaction.extra);
      parsed.transaction.outputs.forEach((output, index) => {
        if (output.amount !== amount) return;
        const place = globalIndex++;
        if (!parsed.isCoinbase || publicKey === undefined) return;
        const derivation = generateKeyDerivation(publicKey, viewSecret);
        if (derivation === null || !derivePublicKey(derivation, index, spendPublic)?.equals(output.key)) return;
        const secret = deriveSecretKey(derivation, index, spendSecret);
        const keyImage = generateKeyImage(output.key, secret);
        const { unlockTime } = parsed.transaction;
        owned.push({ amount, globalIndex: place, key: output.key, secret, keyImage, height, unlockTime });
      });
    }
  });
  return owned;
}

/** A spent output, and the global indexes of its ring, its own included. */
export interface Spend {
  readonly output: OwnedOutput;
  readonly ring: readonly number[];
}

export interface Draft {
  readonly spends: readonly Spend[];
  readonly outputs: readonly TransactionOutput[];
  readonly unlockTime: bigint;
  readonly extra: Buffer;
}

const relativeOffsets = (ring: readonly number[]): number[] => ring.map((index, i) => index - (ring[i - 1] ?? 0));

/** The prefix of a draft, as a wallet builds it. */
export function draftPrefix({ spends, outputs, unlockTime, extra }: Draft): TransactionPrefix {
  const inputs = spends.map(({ output, ring }): TransactionInput => ({
    type: 'key',
    amount: output.amount,
    keyOffsets: relativeOffsets(ring),
    keyImage: output.keyImage,
  }));
  return { version: 1, unlockTime, inputs, outputs, extra };
}

/** Signs every ring of a prefix. Ring members are looked up like in a verifier. */
export function sign(prefix: TransactionPrefix, spends: readonly Spend[], view: ChainView): ParsedTransaction {
  const hash = prefixHash(prefix);
  const signatures = prefix.inputs.map((input, i) => {
    const spend = spends[i];
    if (input.type !== 'key' || spend === undefined) return Buffer.alloc(0);
    const keys = ringIndexes(input.keyOffsets).flatMap((index) => view.output(input.amount, index)?.key ?? []);
    const place = keys.findIndex((key) => key.equals(spend.output.key));
    return generateRingSignatures(hash, input.keyImage, keys, spend.output.secret, place);
  });
  return reparse({ ...prefix, signatures });
}

/** A transaction with signatures of zeros, for refusals before the check of signatures. */
export function unsigned(prefix: TransactionPrefix): ParsedTransaction {
  const signatures = prefix.inputs.map((input) =>
    Buffer.alloc(input.type === 'key' ? 64 * input.keyOffsets.length : 0),
  );
  return reparse({ ...prefix, signatures });
}

export function reparse(transaction: Transaction): ParsedTransaction {
  return parseTransaction(encodeTransaction(transaction));
}
