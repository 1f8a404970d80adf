import type { ChainReader } from '@wrkz/chain-db';
import {
  buildTemplateBody,
  Checkpoints,
  type CoinbaseReceiver,
  completeTemplate,
  REASONS,
  type Template,
  type TemplateBody,
} from '@wrkz/consensus';
import {
  encodeBlock,
  type Network,
  parseBlock,
  type ParsedBlock,
  type ParsedTransaction,
  parseExtra,
  type RawBlock,
  type Transaction,
} from '@wrkz/core-types';
import { generateKeyPair } from '@wrkz/crypto';
import { AnnouncedWork } from '../chain/announced-work';
import { type AddBlockResult, unreadable } from '../chain/results';
import type { ChainService } from '../chain/service';
import type { TransactionPool } from '../mempool/pool';
import type { PoolTransaction } from '../mempool/pool-transaction';

export interface MinerDependencies {
  readonly network: Network;
  readonly reader: ChainReader;
  readonly chain: ChainService;
  readonly pool: TransactionPool;
  /** Unix seconds. */
  readonly now: () => number;
}

/** The result of getblocktemplate. */
export interface TemplateResult {
  readonly blob: Buffer;
  readonly difficulty: bigint;
  /** Count of blocks, equal to the index of the block to be mined. */
  readonly height: number;
  /** Offset of the reserved bytes in the blob; 0 when none are reserved. */
  readonly reservedOffset: number;
}

const ABSENT: AddBlockResult = { code: 'TRANSACTION_ABSENT_IN_POOL', message: REASONS.TRANSACTION_ABSENT_IN_POOL.text };

/** The transactions of entries, lazily: a template stops reading when its block is full. */
function* parsedOf(entries: Iterable<PoolTransaction>): Generator<ParsedTransaction> {
  for (const entry of entries) yield entry.parse();
}

/** Builds block templates and submits mined blocks. */
export class Miner {
  /** The last body and what it was built from: tip, revision of the pool, timestamp. */
  private latest: { readonly key: string; readonly body: Promise<TemplateBody> } | undefined;

  private readonly work: AnnouncedWork;

  constructor(private readonly dependencies: MinerDependencies) {
    this.work = new AnnouncedWork(dependencies.network, Checkpoints.none, dependencies.reader);
  }

  /** @throws RangeError when no block can be built, e.g. for keys that are not points of the curve */
  async template(receiver: CoinbaseReceiver, extraNonce: Buffer): Promise<TemplateResult> {
    const { block, difficulty, height } = await this.build(receiver, extraNonce, this.dependencies.now());
    const blob = encodeBlock(block);
    return { blob, difficulty, height, reservedOffset: reservedOffset(blob, block.coinbase, extraNonce.length) };
  }

  /**
   * A template on the current tip with the pool's transactions. Transactions that are invalid in a block at this height are
   * removed from the pool. @param timestamp Unix seconds, raised to the median if it is lower
   */
  async build(receiver: CoinbaseReceiver, extraNonce: Buffer, timestamp: number): Promise<Template> {
    return this.complete(await this.body(timestamp), receiver, extraNonce);
  }

  /** A template without its coinbase, shared by all miners; built once per tip, pool revision and second. */
  body(timestamp = this.dependencies.now()): Promise<TemplateBody> {
    const { reader, pool } = this.dependencies;
    const key = `${reader.tip().hash.toString('hex')} ${String(pool.revision)} ${String(timestamp)}`;
    if (this.latest?.key === key) return this.latest.body;
    const latest = { key, body: this.buildBody(timestamp) };
    this.latest = latest;
    latest.body.catch(() => {
      if (this.latest === latest) this.latest = undefined;
    });
    return latest.body;
  }

  private async buildBody(timestamp: number): Promise<TemplateBody> {
    const { network, reader, pool } = this.dependencies;
    const body = await buildTemplateBody({
      network,
      view: reader.viewAt(reader.tip().height),
      now: timestamp,
      candidates: parsedOf(pool.list()),
    });
    for (const { transaction } of body.refused) pool.remove(transaction.hash, 'NotActual');
    return body;
  }

  /** Adds a coinbase that pays `receiver`. @throws RangeError for keys that are not points of the curve */
  complete(body: TemplateBody, receiver: CoinbaseReceiver, extraNonce: Buffer): Template {
    const { secretKey, publicKey } = generateKeyPair();
    return completeTemplate(body, { receiver, extraNonce, transactionKeys: { secretKey, publicKey } });
  }

  /**
   * Submits a mined block with transactions of the pool. A missing transaction takes precedence over all other reasons to reject
   * the block (docs/protocol/blocks.md#absent-transactions).
   */
  async submit(blob: Buffer): Promise<AddBlockResult> {
    let parsed: ParsedBlock;
    try {
      parsed = parseBlock(blob);
    } catch {
      return unreadable();
    }
    const transactions: Buffer[] = [];
    for (const hash of parsed.block.transactionHashes) {
      const entry = this.dependencies.pool.get(hash);
      if (entry === undefined) return { ...ABSENT, hash: parsed.hash };
      transactions.push(entry.bytes);
    }
    return this.add({ block: blob, transactions });
  }

  /**
   * Adds a block of a miner. If a block on the tip is rejected because of a transaction, the transaction is removed from the
   * pool: otherwise every template would include it, and no block could be mined. Only for a block with proof of work: any
   * client can submit others, and a mined block whose transaction is no longer in the pool is rejected.
   */
  async add(raw: RawBlock): Promise<AddBlockResult> {
    const { chain, pool } = this.dependencies;
    const tip = chain.tip().hash;
    const [result] = await chain.addBlocks([raw], 'submit');
    const culprit = result?.transactionHash;
    const isOnTip = culprit !== undefined && parseBlock(raw.block).block.previousHash.equals(tip);
    if (isOnTip && (await this.work.judge(raw.block)) === 'holds') pool.remove(culprit, 'NotActual');
    return result ?? unreadable();
  }
}

/** Bytes of the tag of the extra nonce and of its length. */
const NONCE_HEADER = 2;

/**
 * Offset of the reserved bytes of a coinbase in the block's blob: after the transaction's public key and the header of the
 * extra nonce. 0 if nothing is reserved.
 * @throws Error if the blob does not contain them
 */
function reservedOffset(blob: Buffer, coinbase: Transaction, reserved: number): number {
  if (reserved === 0) return 0;
  const { publicKey } = parseExtra(coinbase.extra);
  const position = publicKey === undefined ? -1 : blob.indexOf(publicKey);
  const offset = position + 32 + NONCE_HEADER;
  if (publicKey === undefined || position < 0 || offset + reserved > blob.length) {
    throw new Error('Internal error: failed to create block template, not enough space for reserved bytes');
  }
  return offset;
}
