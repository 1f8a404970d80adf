import {
  REWARD_BLOCKS_WINDOW,
  auxHeaderHash,
  buildExtra,
  type Block,
  type Network,
  type ParentBlock,
  type ParsedTransaction,
} from '@wrkz/core-types';
import { constructCoinbase, type CoinbaseInput } from './coinbase';
import { nextDifficulty } from './difficulty';
import type { RuleFailure } from './errors';
import { runProofs } from './proofs';
import { medianSize, templateSizeLimit } from './sizes';
import { minTimestamp } from './median';
import { settleTransaction, stageForTemplate } from './transaction';
import { keyImageId } from './transaction-context';
import { spendsLocked } from './transaction-in-chain';
import { unlockTimeAllowed } from './unlock';
import type { ChainView } from './view';

/** The input of a template. */
export interface TemplateBodyInput {
  readonly network: Network;
  /** The main chain. */
  readonly view: ChainView;
  /** Unix seconds of the clock. */
  readonly now: number;
  /** The pool's transactions, best first, those without a fee last. Read only until the block is full. */
  readonly candidates: Iterable<ParsedTransaction>;
}

/** The receiver of a template. */
export type TemplateReceiver = Pick<CoinbaseInput, 'receiver' | 'transactionKeys' | 'extraNonce'>;

export type TemplateInput = TemplateBodyInput & TemplateReceiver;

/** A template without its coinbase, the same for all miners on one tip. */
export interface TemplateBody {
  readonly header: Omit<Block, 'coinbase' | 'transactionHashes'>;
  readonly height: number;
  readonly difficulty: bigint;
  /** Transactions of the block, in order. */
  readonly transactions: readonly ParsedTransaction[];
  /** Candidates that are invalid in any block at this height; the pool must remove them. */
  readonly refused: readonly { readonly transaction: ParsedTransaction; readonly failure: RuleFailure }[];
  /** The input of the coinbase. */
  readonly reward: Omit<CoinbaseInput, keyof TemplateReceiver>;
}

export interface Template extends Omit<TemplateBody, 'header' | 'reward'> {
  readonly block: Block;
}

const NO_HASH = Buffer.alloc(32);

/** Min size of a transaction with an input: version, unlock time, counts, one input of a ring of one, its signature. */
const MIN_TRANSACTION_BYTES = 5 + 36 + 64;

/**
 * A block template on top of the chain (docs/protocol/blocks.md#block-templates). Its merge-mining tag is empty:
 * `sealParent` or the miner sets it before hashing.
 *
 * @throws RangeError if no block can follow the tip, or as `constructCoinbase`
 */
export async function buildTemplate(input: TemplateInput): Promise<Template> {
  return completeTemplate(await buildTemplateBody(input), input);
}

/**
 * The costly part of a template, from which many templates are completed.
 * @throws RangeError if no block can follow the tip
 */
export async function buildTemplateBody(input: TemplateBodyInput): Promise<TemplateBody> {
  const { network, view, now } = input;
  const tip = view.facts(view.height);
  const height = tip.height + 1;
  const rules = network.rulesAt(height);
  const difficulty = nextDifficulty(network, tip.height, view);
  if (difficulty === 0n) {
    // Clients of getblocktemplate get this text.
    throw new RangeError('no block can follow the top: its difficulty would be 0');
  }

  const medianSize = effectiveMedian(network, view);
  const windows = [rules.templateTimestampWindow, rules.timestampWindow];
  const least = windows.map((window) => minTimestamp(view, tip.height, window) ?? 0);
  const timestamp = Math.max(now, ...least);
  const { transactions, refused, size, fees } = await chooseTransactions(input, medianSize, timestamp);
  const reward = {
    height,
    rules,
    medianSize,
    generatedCoins: tip.generatedCoins,
    transactionsSize: size,
    fees,
  };
  const plain = {
    majorVersion: rules.blockVersion,
    minorVersion: 0,
    timestamp: BigInt(timestamp),
    previousHash: tip.hash,
    nonce: 0,
  };
  const header = rules.blockVersion === 1 ? plain : { ...plain, parentBlock: emptyParent() };
  return { header, height, difficulty, transactions, refused, reward };
}

/** Adds the coinbase. @throws RangeError as `constructCoinbase` */
export function completeTemplate(body: TemplateBody, paid: TemplateReceiver): Template {
  const { header, reward, ...rest } = body;
  const { receiver, transactionKeys, extraNonce } = paid;
  const coinbase = constructCoinbase({ ...reward, receiver, transactionKeys, extraNonce });
  const transactionHashes = body.transactions.map((transaction) => transaction.hash);
  return { ...rest, block: { ...header, coinbase, transactionHashes } };
}

/**
 * The node-wide median (docs/protocol/difficulty-and-reward.md#effective-median): of the last 100 blocks, and at least
 * the full reward zone of the next one.
 */
export function effectiveMedian(network: Network, view: ChainView): number {
  const { fullRewardZone } = network.rulesAt(view.height + 1);
  return Math.max(medianSize(view.window(view.height, REWARD_BLOCKS_WINDOW)), fullRewardZone);
}

/**
 * Commits the parent block of a template to the block: depth 0, so that the root is the auxiliary header hash itself.
 */
export function sealParent(block: Block): Block {
  const { parentBlock } = block;
  if (parentBlock === undefined) return block;
  const baseTransaction = { ...parentBlock.baseTransaction, extra: mergeMiningExtra(auxHeaderHash(block)) };
  return { ...block, parentBlock: { ...parentBlock, baseTransaction, blockchainBranch: [] } };
}

/** The parent block of templates, byte for byte as in the reference. */
function emptyParent(): ParentBlock {
  return {
    majorVersion: 0,
    minorVersion: 0,
    previousHash: NO_HASH,
    transactionCount: 1,
    baseTransactionBranch: [],
    baseTransaction: { version: 0, unlockTime: 0n, inputs: [], outputs: [], extra: mergeMiningExtra(NO_HASH) },
    blockchainBranch: [],
  };
}

function mergeMiningExtra(root: Buffer): Buffer {
  return buildExtra({ mergeMining: { depth: 0n, root } });
}

interface Choice {
  readonly transactions: ParsedTransaction[];
  readonly refused: { transaction: ParsedTransaction; failure: RuleFailure }[];
  size: number;
  fees: bigint;
}

/** Selects candidates in order while they fit, are valid at this height, and spend nothing twice. */
async function chooseTransactions(input: TemplateBodyInput, median: number, timestamp: number): Promise<Choice> {
  const { network, view } = input;
  const tip = view.facts(view.height);
  const limit = templateSizeLimit(median, tip.height + 1);
  const { minimumUnlock, timeLockByTip } = network.rulesAt(tip.height);
  // The pool compared time locks with the timestamp of an earlier tip. A lower one locks outputs again; reading the rings of
  // every template would be slow.
  const recent = view.window(tip.height, REWARD_BLOCKS_WINDOW);
  const mayBeLocked = timeLockByTip && recent.some((block) => block.timestamp > tip.timestamp);
  const spent = new Set<string>();
  const choice: Choice = { transactions: [], refused: [], size: 0, fees: 0n };
  for (const transaction of input.candidates) {
    if (choice.size + MIN_TRANSACTION_BYTES > limit) break;
    if (choice.size + transaction.size > limit) continue;
    // The checks below use the timestamp of the tip, a block its own, which may be later. The cheapest check comes first: a pool
    // may have many such transactions.
    const { unlockTime } = transaction.transaction;
    const allowedAt = (time: number): boolean =>
      minimumUnlock === undefined || unlockTimeAllowed(unlockTime, minimumUnlock, tip.height, time);
    if (!allowedAt(timestamp) && allowedAt(tip.timestamp)) continue;
    const staged = stageForTemplate(transaction, {
      network,
      height: tip.height + 1,
      blockTimestamp: tip.timestamp,
      view,
      pool: true,
      checkpointed: false,
      medianSize: median,
      tipTimestamp: tip.timestamp,
      now: input.now,
      spentInBlock: new Set(),
    });
    // Only non-empty in a hundred blocks of the chain's history.
    const verdicts = staged.proofs.length === 0 ? [] : await runProofs(staged.proofs);
    const failure = settleTransaction(staged, verdicts);
    if (failure !== undefined) {
      choice.refused.push({ transaction, failure });
      continue;
    }
    const keyImages = transaction.transaction.inputs.flatMap((one) => (one.type === 'key' ? [one.keyImage] : []));
    if (keyImages.some((keyImage) => spent.has(keyImageId(keyImage)))) continue;
    // The reference does not check this. The chain may be a block ahead of the pool, which then still has mined
    // transactions.
    if (keyImages.some((keyImage) => view.keyImageHeight(keyImage) !== undefined)) continue;
    if (mayBeLocked && spendsLocked(transaction, view, tip)) continue;
    for (const keyImage of keyImages) spent.add(keyImageId(keyImage));
    choice.transactions.push(transaction);
    choice.size += transaction.size;
    choice.fees += staged.fee;
  }
  return choice;
}
