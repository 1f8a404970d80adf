import type { daemonApi } from '@wrkz/api';
import { rpcErrors } from '@wrkz/api/daemon-errors';
import { type ChainReader, CorruptDatabase, rulesDigestAt } from '@wrkz/chain-db';
import { baseReward, type BlockFacts, medianSize, penalizedAmount } from '@wrkz/consensus';
import {
  decodeBlock,
  findWalletExtra,
  type Network,
  parseBlock,
  type ParsedTransaction,
  parseExtra,
  parseTransaction,
  type RawBlock,
  reportedBlockBytes,
  REWARD_BLOCKS_WINDOW,
} from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit/base';
import type { z } from 'zod';
import { orRefuseBelowFloor, refuse } from '../errors';
import type { Query } from './query';
import { transactionPrefixJson } from './transactions';

const { blockBelowFloor, blockUnknown, digestPending, hashHeightTooBig, heightTooBig, transactionUnknown } = rpcErrors;

/** The result of `getrulesdigest`. `height` is a block index. */
export const rulesDigestQuery: Query<{ readonly height: number }> = {
  isHeavy: () => true,
  run: ({ reader, throwIfCancelled }, { height }) =>
    reader.snapshot(() => {
      const facts = reader.facts(height);
      if (facts === undefined) throw refuse(heightTooBig, { height: String(reader.tip().height) });
      const found = rulesDigestAt(reader, height, throwIfCancelled);
      if (found === undefined) {
        throw refuse(digestPending, { height: String(reader.storedRulesDigest(height)?.height ?? 0) });
      }
      const digest = found.digest.toString('hex');
      return Buffer.from(stringifyJson({ digest, hash: facts.hash.toString('hex'), height, status: 'OK' }), 'latin1');
    }),
};

/** Blocks below the requested one. */
const BLOCKS_BELOW = 30;

/** The result of `f_blocks_list_json`. Whole blocks are read one by one, for their sizes. */
export const blocksList: Query<{ readonly height: number }> = {
  isHeavy: () => true,
  run: ({ reader, throwIfCancelled }, { height }) =>
    orRefuseBelowFloor(blockBelowFloor, () =>
      reader.snapshot(() => {
        const top = reader.tip().height;
        if (height > top) throw refuse(heightTooBig, { height: String(top) });
        const lowest = Math.max(0, height - BLOCKS_BELOW);
        const blocks = reader.factsRange(lowest, height + 1).map((facts) => {
          throwIfCancelled();
          const raw = reader.rawBlock(facts.height);
          if (raw === undefined) throw new CorruptDatabase(`block ${facts.height} is missing`);
          return blockRow(raw, facts);
        });
        return Buffer.from(stringifyJson({ blocks: blocks.reverse(), status: 'OK' }), 'latin1');
      }),
    ),
};

/** The result of `f_block_json`: a main-chain block by its hash or its index, which may be any safe integer. */
export const explorerBlock: Query<{ readonly hash: Buffer } | { readonly height: number }> = {
  isHeavy: () => false,
  run: ({ reader, network }, query) =>
    orRefuseBelowFloor(blockBelowFloor, () =>
      reader.snapshot(() => {
        const top = reader.tip().height;
        const height = 'hash' in query ? reader.heightOf(query.hash) : checkedHeight(query.height, top);
        const facts = height === undefined ? undefined : reader.facts(height);
        const raw = facts && reader.rawBlock(facts.height);
        if (facts === undefined || raw === undefined) throw refuse(blockUnknown);
        const { penalty, ...others } = blockDetails({ network, raw, facts, before: blocksBefore(reader, facts), top });
        // A float has a fraction also if it is 0: typed clients may require it.
        const fraction = Number.isInteger(penalty) ? `${penalty}.0` : String(penalty);
        const text = stringifyJson(others);
        return Buffer.from(`{"block":{"penalty":${fraction},${text.slice(1)},"status":"OK"}`, 'latin1');
      }),
    ),
};

function checkedHeight(height: number, top: number): number {
  if (height >= 0 && height <= top) return height;
  throw refuse(hashHeightTooBig, { height: String(top) });
}

function blocksBefore(reader: ChainReader, { height }: BlockFacts): BlockFacts[] {
  return reader.factsRange(Math.max(0, height - REWARD_BLOCKS_WINDOW), height);
}

interface BlockWithFacts {
  readonly network: Network;
  readonly raw: RawBlock;
  readonly facts: BlockFacts;
  /** Up to 100 blocks before it, the last of them its parent. */
  readonly before: readonly BlockFacts[];
  /** Index of the tip. */
  readonly top: number;
}

/** The `block` of `f_block_json`. */
function blockDetails({
  network,
  raw,
  facts,
  before,
  top,
}: BlockWithFacts): z.output<typeof daemonApi.blockResult>['block'] {
  const { block, coinbase } = parseBlock(raw.block);
  const transactions = [coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))].map(transactionRow);
  const rules = network.rulesAt(facts.height);
  const sizeMedian = medianSize(before);
  const effectiveSizeMedian = Math.max(sizeMedian, rules.fullRewardZone);
  const base = baseReward(rules, before.at(-1)?.generatedCoins ?? 0n);
  return {
    alreadyGeneratedCoins: String(facts.generatedCoins),
    alreadyGeneratedTransactions: facts.generatedTransactions,
    baseReward: base,
    blockSize: reportedBlockBytes(block, raw.transactions),
    depth: top - facts.height,
    difficulty: facts.difficulty,
    effectiveSizeMedian,
    hash: facts.hash.toString('hex'),
    height: facts.height,
    major_version: facts.majorVersion,
    minor_version: facts.minorVersion,
    nonce: block.nonce,
    orphan_status: false,
    penalty: penaltyOf(base, penalizedAmount(base, effectiveSizeMedian, facts.size)),
    prev_hash: block.previousHash.toString('hex'),
    reward: transactions[0]?.amount_out ?? 0n,
    sizeMedian,
    timestamp: BigInt(facts.timestamp),
    totalFeeAmount: transactions.reduce((sum, { fee }) => sum + fee, 0n),
    transactions,
    transactionsCumulativeSize: facts.size,
  };
}

/** The part of the base reward that was not paid, 0 to 1. */
function penaltyOf(base: bigint, paid: bigint): number {
  return base === 0n ? 0 : Number(base - paid) / Number(base);
}

/** The result of `f_transaction_json`. Transactions of the pool are unknown here. */
export const explorerTransaction: Query<{ readonly hash: Buffer }> = {
  isHeavy: () => false,
  run: ({ reader }, { hash }) =>
    orRefuseBelowFloor(blockBelowFloor, () =>
      reader.snapshot(() => {
        const found = reader.transaction(hash);
        if (found === undefined) throw refuse(transactionUnknown);
        const facts = reader.facts(found.height);
        const raw = reader.rawBlock(found.height);
        if (facts === undefined || raw === undefined) throw new CorruptDatabase(`block ${found.height} is missing`);
        const details = transactionDetails(parseTransaction(found.bytes));
        return Buffer.from(stringifyJson({ block: blockRow(raw, facts), status: 'OK', ...details }), 'latin1');
      }),
    ),
};

/** Bytes of an encrypted payment id. */
const ENCRYPTED_BYTES = 8;

/** The transaction of `f_transaction_json`. The payment id is the one that wallets read. */
function transactionDetails(
  parsed: ParsedTransaction,
): Pick<z.output<typeof daemonApi.transactionResult>, 'tx' | 'txDetails'> {
  const { inputs, extra } = parsed.transaction;
  const { publicKey, nonce } = parseExtra(extra);
  const { paymentId: at, paymentIdSize } = findWalletExtra(extra);
  return {
    tx: {
      ...transactionPrefixJson(parsed.transaction),
      nonce: nonce?.toString('hex') ?? '',
      publicKey: publicKey?.toString('hex') ?? '',
    },
    txDetails: {
      ...transactionRow(parsed),
      mixin: Math.max(0, ...inputs.map((input) => (input.type === 'key' ? input.keyOffsets.length : 0))),
      paymentId: at < 0 ? '' : extra.toString('hex', at, at + paymentIdSize),
      paymentIdEncrypted: paymentIdSize === ENCRYPTED_BYTES,
    },
  };
}

/** A main-chain block in a list of the explorer. */
function blockRow(raw: RawBlock, facts: BlockFacts): z.output<typeof daemonApi.blockRowObject> {
  return {
    cumul_size: reportedBlockBytes(decodeBlock(raw.block), raw.transactions),
    difficulty: facts.difficulty,
    hash: facts.hash.toString('hex'),
    height: facts.height,
    timestamp: BigInt(facts.timestamp),
    tx_count: raw.transactions.length + 1,
  };
}

/** A transaction in a list of the explorer. */
function transactionRow({
  transaction,
  fee,
  hash,
  size,
}: ParsedTransaction): z.output<typeof daemonApi.transactionRowObject> {
  return {
    amount_out: transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n),
    fee: fee ?? 0n,
    hash: hash.toString('hex'),
    size,
  };
}
