import type { ChainReader } from '@wrkz/chain-db';
import {
  buildTemplateBody,
  type CoinbaseReceiver,
  completeTemplate,
  REASONS,
  type Template,
  type TemplateBody,
} from '@wrkz/consensus';
import { encodeBlock, type Network, type ParsedBlock, parseBlock, type RawBlock } from '@wrkz/core-types';
import { generateKeyPair } from '@wrkz/crypto';
import { type AddBlockResult, unreadable } from '../chain/results';
import type { ChainService } from '../chain/service';
import type { TransactionPool } from '../mempool/pool';
import { reservedOffset } from './reserved-offset';

export interface MinerParts {
  readonly network: Network;
  readonly reader: ChainReader;
  readonly chain: ChainService;
  readonly pool: TransactionPool;
  /** Unix seconds. */
  readonly now: () => number;
}

/** What getblocktemplate answers. */
export interface TemplateAnswer {
  readonly blob: Buffer;
  readonly difficulty: bigint;
  /** Count: the index of the block to be mined. */
  readonly height: number;
  /** Where the reserved bytes stand in the blob; 0 when none are reserved. */
  readonly reservedOffset: number;
}

const ABSENT: AddBlockResult = { code: 'TRANSACTION_ABSENT_IN_POOL', message: REASONS.TRANSACTION_ABSENT_IN_POOL.text };

/** Blocks to be mined, and mined blocks coming in. */
export class Miner {
  constructor(private readonly parts: MinerParts) {}

  /** @throws RangeError when no block can be built, e.g. for keys that are no points */
  async template(receiver: CoinbaseReceiver, extraNonce: Buffer): Promise<TemplateAnswer> {
    const { block, difficulty, height } = await this.build(receiver, extraNonce, this.parts.now());
    const blob = encodeBlock(block);
    return { blob, difficulty, height, reservedOffset: reservedOffset(blob, block.coinbase, extraNonce.length) };
  }

  /**
   * A template on the present tip with the pool's transactions; those that no block at this height may hold leave the
   * pool. @param timestamp Unix seconds, raised to the median where it lies below
   */
  async build(receiver: CoinbaseReceiver, extraNonce: Buffer, timestamp: number): Promise<Template> {
    return this.complete(await this.body(timestamp), receiver, extraNonce);
  }

  /** As `build`, but for the coinbase: the part that all who mine on one tip may share. */
  async body(timestamp = this.parts.now()): Promise<TemplateBody> {
    const { network, reader, pool } = this.parts;
    const body = await buildTemplateBody({
      network,
      view: reader.viewAt(reader.tip().height),
      now: timestamp,
      candidates: pool.list().map((entry) => entry.parsed),
    });
    for (const { transaction } of body.refused) pool.remove(transaction.hash, 'NotActual');
    return body;
  }

  /** Pays the block of a body to somebody. @throws RangeError for keys that are no points */
  complete(body: TemplateBody, receiver: CoinbaseReceiver, extraNonce: Buffer): Template {
    const { secretKey, publicKey } = generateKeyPair();
    return completeTemplate(body, { receiver, extraNonce, transactionKeys: { secretKey, publicKey } });
  }

  /**
   * Takes a mined block. Its transactions are those of the pool; that one is missing there is the first reason to
   * refuse it (docs/protocol/blocks.md#absent-transactions).
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
      const entry = this.parts.pool.get(hash);
      if (entry === undefined) return { ...ABSENT, hash: parsed.hash };
      transactions.push(entry.parsed.bytes);
    }
    return this.add({ block: blob, transactions });
  }

  /**
   * One block, however it was made. A transaction for which a block on the tip is refused leaves the pool: the
   * next template would hold it again, and nobody could mine.
   */
  async add(raw: RawBlock): Promise<AddBlockResult> {
    const { chain, pool } = this.parts;
    const tip = chain.tip().hash;
    const [result] = await chain.addBlocks([raw], 'submit');
    const culprit = result?.transactionHash;
    if (culprit !== undefined && parseBlock(raw.block).block.previousHash.equals(tip))
      pool.remove(culprit, 'NotActual');
    return result ?? unreadable();
  }
}
