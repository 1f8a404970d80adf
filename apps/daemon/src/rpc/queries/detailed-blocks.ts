import type { daemonApi } from '@wrkz/api';
import { refusals } from '@wrkz/api/daemon-errors';
import { type ChainReader, CorruptDatabase } from '@wrkz/chain-db';
import { baseReward, type BlockFacts, medianSize, ringIndexes } from '@wrkz/consensus';
import {
  decodeTransactionPrefix,
  type KeyInput,
  type Network,
  parseBlock,
  type ParsedTransaction,
  parseExtra,
  parseTransaction,
  type RawBlock,
  reportedBlockBytes,
  REWARD_BLOCKS_WINDOW,
  type TransactionInput,
} from '@wrkz/core-types';
import type { z } from 'zod';
import { orRefuseBelowFloor } from '../errors';
import { ResponseBuffer } from './response-buffer';
import type { Query, QueryContext } from './query';
import { type BlockRangeQuery, blockRange, writeBlocks } from './query-blocks';
import { wholeBlocks } from './sync-blocks';

export interface DetailedBlocksQuery extends BlockRangeQuery {
  /** Max ids, and max whole blocks after them. */
  readonly blockCount: number;
}

/** The response of `/queryblocksdetailed`: blocks and transactions with all details. */
export const detailedBlocks: Query<DetailedBlocksQuery> = {
  isHeavy: () => true,
  run: (context, query) =>
    orRefuseBelowFloor(refusals.belowFloor, () =>
      context.reader.snapshot(() => {
        const range = blockRange(context, query);
        const out = new ResponseBuffer();
        out.text('{"blocks":[');
        writeBlocks(context, out, range, {
          max: { ids: query.blockCount, whole: query.blockCount },
          idOnly: idOnlyBlock,
          whole: (start, end) => detailedBlocksOf(context, start, end),
        });
        const { currentHeight, fullOffset, startHeight } = range;
        out.text(`],"currentHeight":${currentHeight},"fullOffset":${fullOffset},"startHeight":${startHeight}`);
        return out.text(',"status":"OK"}').finish();
      }),
    ),
};

type DetailedBlock = z.output<typeof daemonApi.detailedBlockObject>;
type DetailedTransaction = z.output<typeof daemonApi.detailedTransactionObject>;
type DetailedInput = DetailedTransaction['inputs'][number];

function* detailedBlocksOf(context: QueryContext, start: number, end: number): Generator<DetailedBlock> {
  const { reader, network } = context;
  const outputs = new OutputOrigins(reader);
  const known = reader.factsRange(start - REWARD_BLOCKS_WINDOW, start);
  for (const { height, raw } of wholeBlocks(context, start, end)) {
    const [facts] = reader.factsRange(height, height + 1);
    if (facts === undefined) throw new CorruptDatabase(`block ${height} is missing`);
    const indexes = reader.globalIndexes(height).map((one) => one.indexes);
    yield detailedBlock({ network, raw, facts, before: known.slice(-REWARD_BLOCKS_WINDOW), indexes, outputs });
    known.push(facts);
  }
}

interface BlockWithFacts {
  readonly network: Network;
  readonly raw: RawBlock;
  readonly facts: BlockFacts;
  /** Up to 100 blocks before it, the last of them its parent. */
  readonly before: readonly BlockFacts[];
  /** Global indexes of the outputs, by transaction, coinbase first. */
  readonly indexes: readonly (readonly number[])[];
  readonly outputs: OutputOrigins;
}

function detailedBlock({ network, raw, facts, before, indexes, outputs }: BlockWithFacts): DetailedBlock {
  const { block, coinbase } = parseBlock(raw.block);
  const transactions = [coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))].map((transaction, i) =>
    detailedTransaction(transaction, { facts, indexes: indexes[i] ?? [], outputs }),
  );
  return {
    alreadyGeneratedCoins: String(facts.generatedCoins),
    alreadyGeneratedTransactions: facts.generatedTransactions,
    baseReward: baseReward(network.rulesAt(facts.height), before.at(-1)?.generatedCoins ?? 0n),
    blockSize: reportedBlockBytes(block, raw.transactions),
    difficulty: facts.difficulty,
    hash: facts.hash.toString('hex'),
    index: facts.height,
    major_version: facts.majorVersion,
    minor_version: facts.minorVersion,
    nonce: block.nonce,
    prevBlockHash: block.previousHash.toString('hex'),
    reward: transactions[0]?.totalOutputsAmount ?? 0n,
    sizeMedian: medianSize(before),
    timestamp: BigInt(facts.timestamp),
    totalFeeAmount: transactions.reduce((sum, { fee }) => sum + fee, 0n),
    transactions,
    transactionsCumulativeSize: facts.size,
  };
}

const NULL_HASH = '00'.repeat(32);

/** A block of which the response has only the id. */
function idOnlyBlock(hash: Buffer): DetailedBlock {
  return {
    alreadyGeneratedCoins: '0',
    alreadyGeneratedTransactions: 0,
    baseReward: 0n,
    blockSize: 0,
    difficulty: 0n,
    hash: hash.toString('hex'),
    index: 0,
    major_version: 0,
    minor_version: 0,
    nonce: 0,
    prevBlockHash: NULL_HASH,
    reward: 0n,
    sizeMedian: 0,
    timestamp: 0n,
    totalFeeAmount: 0n,
    transactions: [],
    transactionsCumulativeSize: 0,
  };
}

function detailedTransaction(
  { transaction, hash, size, fee, isCoinbase }: ParsedTransaction,
  { facts, indexes, outputs: origins }: Pick<BlockWithFacts, 'facts' | 'outputs'> & { indexes: readonly number[] },
): DetailedTransaction {
  const { inputs, outputs, extra } = transaction;
  const { publicKey, nonce } = parseExtra(extra);
  const paid = outputs.reduce((sum, { amount }) => sum + amount, 0n);
  return {
    blockHash: facts.hash.toString('hex'),
    blockIndex: facts.height,
    extra: {
      nonce: [...(nonce ?? [])],
      publicKey: publicKey?.toString('hex') ?? NULL_HASH,
      raw: extra.toString('hex'),
    },
    fee: fee ?? 0n,
    hash: hash.toString('hex'),
    inBlockchain: true,
    inputs: inputs.map((input) => detailedInput(input, paid, origins)),
    mixin: Math.max(0, ...inputs.map(ringSize)),
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

function detailedInput(input: TransactionInput, paid: bigint, origins: OutputOrigins): DetailedInput {
  if (input.type === 'base') return { type: 'ff', data: { amount: paid, input: { height: input.height } } };
  const { transactionHash, number } = origins.ofLast(input);
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

/** The payment id of a nonce that is exactly a plain payment id; later parts of extra do not count. */
function paymentIdIn(nonce: Buffer | undefined): string {
  return nonce?.length === 33 && nonce[0] === 0 ? nonce.toString('hex', 1) : NULL_HASH;
}

const SIGNATURE_SIZE = 64;

function signatureList(lists: readonly Buffer[]): DetailedTransaction['signatures'] {
  return lists.flatMap((own, first) =>
    Array.from({ length: own.length / SIGNATURE_SIZE }, (_, i) => ({
      first,
      second: own.toString('hex', i * SIGNATURE_SIZE, (i + 1) * SIGNATURE_SIZE),
    })),
  );
}

/** The transaction that created an output, and the position of the output in it. */
interface OutputOrigin {
  readonly transactionHash: Buffer;
  readonly number: number;
}

interface TransactionOutputs {
  readonly hash: Buffer;
  readonly indexes: readonly number[];
  readonly prefix: Buffer;
}

/** Cached blocks: rings of the same time have members in the same blocks. */
const MAX_CACHED_BLOCKS = 256;

const NO_ORIGIN: OutputOrigin = { transactionHash: Buffer.alloc(32), number: 0 };

/** Finds the transactions that created ring members. Use it within one snapshot. */
class OutputOrigins {
  private readonly cache = new Map<number, readonly TransactionOutputs[]>();

  constructor(private readonly reader: ChainReader) {}

  /** The origin of the last ring member. @throws CorruptDatabase if it is not an output of the chain */
  ofLast({ amount, keyOffsets }: KeyInput): OutputOrigin {
    const index = ringIndexes(keyOffsets).at(-1);
    if (index === undefined) return NO_ORIGIN;
    const output = this.reader.output(amount, index);
    const creator = output && this.blockAt(output.height).find((one) => creates(one, output.position, amount, index));
    if (output === undefined || creator === undefined) {
      throw new CorruptDatabase(`no transaction made output ${index} of amount ${amount}`);
    }
    return { transactionHash: creator.hash, number: output.position };
  }

  private blockAt(height: number): readonly TransactionOutputs[] {
    const cached = this.cache.get(height);
    if (cached !== undefined) return cached;
    const { prefixes } = this.reader.scanBlocks(height, height + 1);
    const transactions = this.reader
      .globalIndexes(height)
      .map(({ hash, indexes }, i) => ({ hash, indexes, prefix: prefixes[i] as Buffer }));
    if (this.cache.size === MAX_CACHED_BLOCKS) this.cache.clear();
    this.cache.set(height, transactions);
    return transactions;
  }
}

/** Two transactions of a block may have the same index at the same position, for different amounts. */
function creates({ indexes, prefix }: TransactionOutputs, position: number, amount: bigint, index: number): boolean {
  return indexes[position] === index && decodeTransactionPrefix(prefix).outputs[position]?.amount === amount;
}
