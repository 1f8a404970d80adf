import type { ChainReader } from '@wrkz/chain-db';
import { buildTemplate, type CoinbaseReceiver, REASONS, type Template } from '@wrkz/consensus';
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
    const { network, reader, pool } = this.parts;
    const { secretKey, publicKey } = generateKeyPair();
    const template = await buildTemplate({
      network,
      view: reader.viewAt(reader.tip().height),
      now: timestamp,
      receiver,
      transactionKeys: { secretKey, publicKey },
      extraNonce,
      candidates: pool.list().map((entry) => entry.parsed),
    });
    for (const { transaction } of template.refused) pool.remove(transaction.hash, 'NotActual');
    return template;
  }

  /**
   * Takes a mined block. Its transactions are those of the pool; that one is missing there is the first reason to
   * refuse it (protocol 5).
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
