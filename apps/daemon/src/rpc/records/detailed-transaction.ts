import type { daemonApi } from '@wrkz/api';
import type { BlockFacts } from '@wrkz/consensus';
import { parseExtra, type ParsedTransaction, type TransactionInput } from '@wrkz/core-types';
import type { z } from 'zod';
import type { RingSources } from './ring-sources';

export type DetailedTransaction = z.output<typeof daemonApi.detailedTransactionObject>;
type DetailedInput = DetailedTransaction['inputs'][number];

const NO_KEY = '00'.repeat(32);
const SIGNATURE_SIZE = 64;

/** A main-chain transaction with its block, the indexes of its outputs, and where its rings point to. */
export function detailedTransaction(
  { transaction, hash, size, fee, isCoinbase }: ParsedTransaction,
  { facts, indexes, sources }: { facts: BlockFacts; indexes: readonly number[]; sources: RingSources },
): DetailedTransaction {
  const { inputs, outputs, extra } = transaction;
  const { publicKey, nonce } = parseExtra(extra);
  const paid = sumOf(outputs);
  return {
    blockHash: facts.hash.toString('hex'),
    blockIndex: facts.height,
    extra: { nonce: [...(nonce ?? [])], publicKey: publicKey?.toString('hex') ?? NO_KEY, raw: extra.toString('hex') },
    fee: fee ?? 0n,
    hash: hash.toString('hex'),
    inBlockchain: true,
    inputs: inputs.map((input) => detailedInput(input, paid, sources)),
    mixin: inputs.reduce((most, input) => Math.max(most, ringSize(input)), 0),
    outputs: outputs.map(({ amount, key }, i) => ({
      globalIndex: indexes[i] ?? 0,
      output: { amount, target: { data: { key: key.toString('hex') }, type: '02' } },
    })),
    paymentId: paymentIdIn(nonce),
    signatures: signatureList(transaction.signatures),
    signaturesSize: isCoinbase ? 0 : inputs.length,
    size,
    timestamp: BigInt(facts.timestamp),
    totalInputsAmount: inputs.reduce((sum, input) => sum + (input.type === 'key' ? input.amount : 0n), 0n),
    totalOutputsAmount: paid,
    unlockTime: transaction.unlockTime,
  };
}

function detailedInput(input: TransactionInput, paid: bigint, sources: RingSources): DetailedInput {
  if (input.type === 'base') return { type: 'ff', data: { amount: paid, input: { height: input.height } } };
  const { transactionHash, number } = sources.last(input);
  return {
    type: '02',
    data: {
      input: { amount: input.amount, k_image: input.keyImage.toString('hex'), key_offsets: [...input.keyOffsets] },
      mixin: ringSize(input),
      output: { transactionHash: transactionHash.toString('hex'), number },
    },
  };
}

function ringSize(input: TransactionInput): number {
  return input.type === 'key' ? input.keyOffsets.length : 0;
}

function sumOf(outputs: readonly { readonly amount: bigint }[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n);
}

/** A nonce that is a plain payment id and nothing else, whatever stands behind it in extra. */
function paymentIdIn(nonce: Buffer | undefined): string {
  return nonce?.length === 33 && nonce[0] === 0 ? nonce.toString('hex', 1) : NO_KEY;
}

function signatureList(lists: readonly Buffer[]): DetailedTransaction['signatures'] {
  return lists.flatMap((own, first) =>
    Array.from({ length: own.length / SIGNATURE_SIZE }, (_, i) => ({
      first,
      second: own.toString('hex', i * SIGNATURE_SIZE, (i + 1) * SIGNATURE_SIZE),
    })),
  );
}
