import {
  type IndexesByTransaction,
  type NodeCalls,
  NodeFailure,
  NodeList,
  type RawChainBlock,
  type SyncBlock,
  type SyncTransaction,
} from '@wrkz/client';
import { lowestDifficulty, mergeMiningCommits } from '@wrkz/consensus';
import {
  DecodeError,
  LONG_PAYMENT_ID_LENGTH,
  type Network,
  parseBlock,
  type ParsedBlock,
  parseExtraWallet,
  parseTransaction,
  toHex,
  type Transaction,
} from '@wrkz/core-types';
import { checkHash, powHashAsync } from '@wrkz/crypto';
import { groupBy } from '@wrkz/service-kit/base';
import type { UnverifiedBlock, WalletOutput } from '../ledger/model';
import { RANGE, rangeStart } from './index-finder';

/** Max number of concurrent requests for block ranges. */
const MAX_CONCURRENT_RANGES = 4;

/** A reported block, and the comparison of its reported contents with its bytes. */
interface BlockClaim {
  readonly height: number;
  readonly hash: string;
  readonly agrees: (block: RawContents) => boolean;
}

/**
 * - `verified`: hash, contents and proof of work of the bytes are as reported.
 * - `unverified`: no node served the bytes, or another node does not have the block.
 * - `disproved`: the bytes have the hash, but different contents or insufficient proof of work.
 * - `replaced`: the serving node does not have the block on its chain.
 */
export type BlockVerdict = 'verified' | 'unverified' | 'disproved' | 'replaced';

/** The contents of a block parsed from its bytes. */
interface RawContents {
  readonly parsed: ParsedBlock;
  readonly height: number;
  readonly hash: string;
  /** Transactions by hash, including the coinbase. */
  readonly transactions: ReadonlyMap<string, Transaction>;
  /** Global indexes of the outputs by transaction hash; empty if the node sends none. */
  readonly indexes: IndexesByTransaction;
}

export interface Verification {
  /** By block hash. */
  readonly verdicts: ReadonlyMap<string, BlockVerdict>;
  /** Global indexes of the outputs of verified blocks, by transaction hash. Nodes of other kinds send none. */
  readonly indexes: IndexesByTransaction;
}

/** Raw blocks of a range by height, which are parsed on first access. */
class RawRange {
  private readonly raw = new Map<number, RawChainBlock>();
  private readonly parsed = new Map<number, RawContents | undefined>();

  set(height: number, raw: RawChainBlock): void {
    this.raw.set(height, raw);
  }

  /** The block at a height; undefined if it is missing or invalid, or if its bytes have another height. */
  get(height: number): RawContents | undefined {
    const raw = this.raw.get(height);
    if (raw !== undefined && !this.parsed.has(height)) {
      const contents = contentsOf(raw);
      this.parsed.set(height, contents?.height === height ? contents : undefined);
    }
    return this.parsed.get(height);
  }
}

interface ServedRange {
  readonly node: NodeCalls;
  readonly blocks: RawRange;
}

/**
 * Verifies hash, contents and proof of work of reported blocks with their bytes (docs/protocol/wallet-sync.md#raw-blocks).
 * If a node cannot serve the bytes, the next node of the list is used.
 */
export class SyncBlockVerifier {
  constructor(
    private readonly network: Network,
    private readonly node: () => NodeCalls,
  ) {}

  /** @throws only the signal's reason: a failing node is skipped */
  async verify(claims: readonly BlockClaim[], signal: AbortSignal): Promise<Verification> {
    const node = this.node();
    const nodes = node instanceof NodeList ? [node.serving, ...node.others] : [node];
    const verdicts = new Map<string, BlockVerdict>();
    const indexes = new Map<string, readonly number[]>();
    // A node that failed is not queried again for these claims.
    const failed = new Set<NodeCalls>();
    const waiting = groupBy(claims, ({ height }) => rangeStart(height)).entries();
    const worker = async (): Promise<void> => {
      for (const [start, range] of waiting) {
        await this.verifyRange(start, range, { nodes, failed, verdicts, indexes, signal });
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_RANGES }, worker));
    return { verdicts, indexes };
  }

  private async verifyRange(start: number, claims: readonly BlockClaim[], run: VerifierRun): Promise<void> {
    const { nodes, failed, verdicts, signal } = run;
    for (const { hash } of claims) verdicts.set(hash, 'unverified');
    let open = claims;
    for (const node of nodes) {
      if (open.length === 0) return;
      if (failed.has(node)) continue;
      const highest = Math.max(...open.map(({ height }) => height));
      const served = { node, blocks: await this.fetchRange(node, start, highest, run) };
      for (const claim of open) verdicts.set(claim.hash, await this.judge(claim, served, run));
      await this.requireOtherNode(open, served, run);
      open = open.filter(({ hash }) => verdicts.get(hash) === 'unverified');
      signal.throwIfAborted();
    }
  }

  private async judge(claim: BlockClaim, { node, blocks }: ServedRange, run: VerifierRun): Promise<BlockVerdict> {
    const block = blocks.get(claim.height);
    if (block === undefined) return 'unverified';
    if (block.hash === claim.hash) {
      if (!claim.agrees(block) || !(await this.hasWork(block))) return 'disproved';
      for (const [hash, indexes] of block.indexes) run.indexes.set(hash, indexes);
      return 'verified';
    }
    // Another node may be on another chain. The serving node contradicts its report, unless its chain was reorganised.
    if (node !== run.nodes[0]) return 'unverified';
    const known = await attempt(run, node, () => node.mainBlock(claim.hash, run.signal));
    if (known === undefined) return 'unverified';
    return known.result === undefined ? 'replaced' : 'disproved';
  }

  /**
   * Queries another node for the highest verified block of a range; the lower verified blocks are its ancestors. If a node
   * that is high enough does not have it, they become unverified. Nodes that fail or are lower are skipped.
   */
  private async requireOtherNode(
    claims: readonly BlockClaim[],
    { node, blocks }: ServedRange,
    run: VerifierRun,
  ): Promise<void> {
    const { nodes, failed, verdicts, signal } = run;
    const proved = claims.filter(({ hash }) => verdicts.get(hash) === 'verified');
    const last = proved.at(-1);
    if (last === undefined || node !== nodes[0]) return;
    for (const other of nodes.slice(1)) {
      if (failed.has(other)) continue;
      const info = await attempt(run, other, () => other.info(signal));
      if (info === undefined || info.result.localHeight < last.height) continue;
      const known = await attempt(run, other, () => other.mainBlock(last.hash, signal));
      if (known === undefined) continue;
      const isKnown = known.result !== undefined;
      for (const { height, hash } of proved) {
        if (!isKnown || !isAncestor(height, last.height, blocks)) verdicts.set(hash, 'unverified');
      }
      return;
    }
  }

  /** The raw blocks of a range, at least up to `highest`; empty if the node fails. */
  private async fetchRange(node: NodeCalls, start: number, highest: number, run: VerifierRun): Promise<RawRange> {
    const blocks = new RawRange();
    for (let next = start; next <= highest;) {
      const from = next;
      const raw = await attempt(run, node, () => node.rawBlocks(from, start + RANGE - from, run.signal));
      for (const block of raw?.result ?? []) if (next < start + RANGE) blocks.set(next++, block);
      if (next === from) break;
    }
    return blocks;
  }

  private async hasWork({ parsed, height, hash }: RawContents): Promise<boolean> {
    const { network } = this;
    if (height === 0) return hash === toHex(network.genesis.hash);
    const { blockVersion, powAlgorithm } = network.rulesAt(height);
    if (parsed.block.majorVersion !== blockVersion || !mergeMiningCommits(parsed, network)) return false;
    if (!network.checkProofOfWork) return true;
    return checkHash(await powHashAsync(powAlgorithm, parsed.powInput), lowestDifficulty(network, height));
  }
}

interface VerifierRun {
  /** All nodes, starting with the serving node. */
  readonly nodes: readonly NodeCalls[];
  readonly failed: Set<NodeCalls>;
  readonly verdicts: Map<string, BlockVerdict>;
  readonly indexes: Map<string, readonly number[]>;
  readonly signal: AbortSignal;
}

/** Runs a request. @returns undefined when the node fails, which is recorded @throws the signal's reason */
async function attempt<T>(
  run: VerifierRun,
  node: NodeCalls,
  request: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  try {
    return { result: await request() };
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof NodeFailure)) throw error;
    run.failed.add(node);
    return undefined;
  }
}

/** Whether the parent hashes lead from the block at `last` to the block at `height`. */
function isAncestor(height: number, last: number, blocks: RawRange): boolean {
  for (let child = last; child > height; child--) {
    const parent = blocks.get(child - 1);
    if (parent === undefined || blocks.get(child)?.parsed.block.previousHash.equals(parent.parsed.hash) !== true)
      return false;
  }
  return true;
}

/** Parses a raw block. @returns undefined for invalid bytes, or if the transactions are not those that the block lists */
function contentsOf({ block, transactions, globalIndexes = [] }: RawChainBlock): RawContents | undefined {
  try {
    const parsed = parseBlock(block);
    const [input] = parsed.block.coinbase.inputs;
    const own = transactions.map((bytes) => parseTransaction(bytes));
    const all = [parsed.coinbase, ...own].map(({ hash, transaction }) => ({ hash: toHex(hash), transaction }));
    const byHash = new Map(all.map(({ hash, transaction }) => [hash, transaction]));
    const listed = parsed.block.transactionHashes;
    const isWhole = listed.length === own.length && listed.every((hash) => byHash.has(toHex(hash)));
    if (input?.type !== 'base' || !isWhole) return undefined;
    const indexes = new Map(all.map(({ hash }, i) => [hash, globalIndexes[i] ?? []]));
    return { parsed, height: input.height, hash: toHex(parsed.hash), transactions: byHash, indexes };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

export function claimOf(block: SyncBlock): BlockClaim {
  const { height, hash, timestamp, coinbase, transactions } = block;
  const reported = coinbase === undefined ? transactions : [coinbase, ...transactions];
  return {
    height,
    hash,
    // A node can hide a whole block without own outputs, but no transaction of a block that it reports.
    agrees: (raw) =>
      Number(raw.parsed.block.timestamp) === timestamp &&
      transactions.length === raw.parsed.block.transactionHashes.length &&
      reported.every((transaction) => isIn(raw, transaction)),
  };
}

function isIn({ transactions }: RawContents, reported: SyncTransaction): boolean {
  const transaction = transactions.get(reported.hash);
  if (transaction === undefined || transaction.unlockTime !== reported.unlockTime) return false;
  const inputs = transaction.inputs.flatMap((input) => (input.type === 'key' ? [input] : []));
  return (
    transaction.outputs.length === reported.outputs.length &&
    reported.outputs.every(({ key, amount }, i) => isOutput(transaction, i, key, amount)) &&
    inputs.length === reported.inputs.length &&
    reported.inputs.every(({ keyImage, amount }, i) => {
      return inputs[i]?.amount === amount && toHex(inputs[i].keyImage) === keyImage;
    }) &&
    hasPaymentId(transaction, reported.paymentId)
  );
}

function isOutput({ outputs }: Transaction, index: number, key: string, amount: bigint): boolean {
  const output = outputs[index];
  return output?.amount === amount && toHex(output.key) === key;
}

/** Compares payment ids. Nodes report none for a coinbase; nodes of July 2025 report no short ones. */
function hasPaymentId(transaction: Transaction, reported: string): boolean {
  const { paymentId } = parseExtraWallet(transaction.extra);
  if (reported === paymentId) return true;
  return reported === '' && (paymentId.length !== LONG_PAYMENT_ID_LENGTH || transaction.inputs[0]?.type === 'base');
}

export function claimOfUnverified({ height, hash, transactions, outputs, spent }: UnverifiedBlock): BlockClaim {
  const believed = (raw: RawContents): boolean =>
    transactions.every(({ hash: id, paymentId, unlockTime, timestamp, fee }) => {
      const transaction = raw.transactions.get(id);
      if (transaction?.unlockTime !== unlockTime || Number(raw.parsed.block.timestamp) !== timestamp) return false;
      if (feeOf(transaction) !== fee) return false;
      return paymentId.length !== LONG_PAYMENT_ID_LENGTH || parseExtraWallet(transaction.extra).paymentId === paymentId;
    });
  return {
    height,
    hash,
    agrees: (raw) =>
      believed(raw) &&
      spent.every((output) => isSpent(raw, output)) &&
      outputs.every(({ parentTransactionHash, outputIndex, key, amount }) => {
        const transaction = raw.transactions.get(parentTransactionHash);
        return transaction !== undefined && isOutput(transaction, outputIndex, key, amount);
      }),
  };
}

function isSpent(
  { transactions }: RawContents,
  { keyImage, amount, replaced = [], spendingTransactionHash = '' }: WalletOutput,
): boolean {
  const inputs = transactions.get(spendingTransactionHash)?.inputs ?? [];
  // The transaction may be older than the largest output with this key.
  const amounts = new Set([amount, ...replaced.map((one) => one.amount)]);
  return inputs.some(
    (input) => input.type === 'key' && toHex(input.keyImage) === keyImage && amounts.has(input.amount),
  );
}

function feeOf({ inputs, outputs }: Transaction): bigint {
  const paid = inputs.reduce((sum, input) => (input.type === 'key' ? sum + input.amount : sum), 0n);
  const fee = outputs.reduce((rest, { amount }) => rest - amount, paid);
  return fee > 0n ? fee : 0n;
}
