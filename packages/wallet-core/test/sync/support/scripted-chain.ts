import type { StandInNode } from '@wrkz/testing';
import { cnFastHash, derivePublicKey, generateKeyDerivation, scalarReduce32, secretKeyToPublicKey } from '@wrkz/crypto';
import type { LedgerKeys as ScanKeys } from '../../../src/ledger/ledger';
import { GENESIS } from './wallets';

type Fields = Record<string, unknown>;

export interface ScriptedBlock {
  readonly blockHash: string;
  readonly blockHeight: number;
  readonly blockTimestamp: number;
  readonly coinbaseTX: Fields;
  readonly transactions: readonly Fields[];
}

const hashOf = (text: string): string => cnFastHash(Buffer.from(text)).toString('hex');
const secretOf = (text: string): Buffer => scalarReduce32(cnFastHash(Buffer.from(text)));
const publicOf = (text: string): Buffer => secretKeyToPublicKey(secretOf(text));

/** The keys of the wallet that scripted chains pay. */
export const KEYS: ScanKeys = {
  privateViewKey: secretOf('view').toString('hex'),
  spendKeys: [
    { publicSpendKey: publicOf('spend').toString('hex'), privateSpendKey: secretOf('spend').toString('hex') },
  ],
};

/** Invented blocks whose coinbases pay the wallet. @param branch chains with different names share no blocks */
export function scriptedChain(length: number, branch = 'main', from: readonly ScriptedBlock[] = []): ScriptedBlock[] {
  const blocks = [...from];
  while (blocks.length < length) blocks.push(block(blocks.length, branch));
  return blocks;
}

function block(height: number, branch: string): ScriptedBlock {
  const name = `${branch} ${String(height)}`;
  const derivation = generateKeyDerivation(publicOf('view'), secretOf(name));
  const key = derivation === null ? null : derivePublicKey(derivation, 0, publicOf('spend'));
  return {
    blockHash: height === 0 ? GENESIS : hashOf(`block ${name}`),
    blockHeight: height,
    blockTimestamp: 1_700_000_000 + height * 60,
    coinbaseTX: {
      hash: hashOf(`coinbase ${name}`),
      outputs: [{ key: key?.toString('hex'), amount: 1_000 }],
      txPublicKey: publicOf(name).toString('hex'),
      unlockTime: 0,
    },
    transactions: [],
  };
}

export interface ServedChain {
  blocks: readonly ScriptedBlock[];
  /** A block count; defaults to the number of blocks. */
  networkHeight?: number;
  /** Leaves out empty blocks on request, and with the coinbases. */
  isSparse?: boolean;
  /** Makes a response with blocks larger. */
  padding?: string;
}

/** Serves a chain, which a test may change later. */
export function serveChain(node: StandInNode, chain: ServedChain): StandInNode {
  const tip = (): ScriptedBlock => chain.blocks[chain.blocks.length - 1] as ScriptedBlock;
  const headerOf = (block: ScriptedBlock): Fields => ({
    ...{ hash: block.blockHash, height: block.blockHeight, orphan_status: false },
  });
  return (
    node
      .on('/info', () => ({
        json: {
          ...{
            height: chain.blocks.length,
            network_height: Math.max(chain.networkHeight ?? 0, chain.blocks.length),
            difficulty: 10,
            status: 'OK',
          },
          ...{ incoming_connections_count: 3, outgoing_connections_count: 2 },
          sync_features: ['heightRange', 'base64', ...(chain.isSparse === true ? ['skipEmptyBlocks'] : [])],
        },
      }))
      .on('/json_rpc', ({ body }) => {
        const { hash, height } = body['params'] as { hash?: string; height?: number };
        const found = chain.blocks.find((one) => one.blockHash === hash || one.blockHeight === height);
        if (found === undefined) return { json: { jsonrpc: '2.0', error: { code: -5, message: 'no such block' } } };
        return { json: { jsonrpc: '2.0', result: { block_header: headerOf(found), status: 'OK' } } };
      })
      // The hashes of these blocks are invented, so no bytes prove them.
      .on('/getrawblocks', () => ({ json: { items: [], synced: true, status: 'OK' } }))
      .on('/get_global_indexes_for_range', ({ body }) => ({
        json: {
          indexes: chain.blocks
            .slice(Number(body['startHeight']), Number(body['endHeight']))
            .map(({ coinbaseTX, blockHeight }) => ({ key: coinbaseTX['hash'], value: [blockHeight] })),
          status: 'OK',
        },
      }))
      .on('/getwalletsyncdata', ({ body }) => {
        const { blockHashCheckpoints, startHeight, blockCount, endHeight, skipCoinbaseTransactions } = body as {
          blockHashCheckpoints: readonly string[];
          skipCoinbaseTransactions: boolean;
          startHeight: number;
          blockCount: number;
          endHeight?: number;
        };
        const known = blockHashCheckpoints
          .map((hash) => chain.blocks.findIndex(({ blockHash }) => blockHash === hash))
          .find((at) => at >= 0);
        const start = known === undefined || known === 0 ? startHeight : known + 1;
        const isSparse = chain.isSparse === true && skipCoinbaseTransactions;
        const walked = chain.blocks.slice(
          start,
          Math.min(start + (isSparse ? 1_000 : blockCount), endHeight ?? Infinity),
        );
        const items = isSparse ? walked.filter(({ transactions }) => transactions.length > 0) : walked;
        const last = isSparse && walked.at(-1) === tip() ? items.at(-1) : walked.at(-1);
        const { blockHash: hash, blockHeight: height } = tip();
        return {
          json: {
            items,
            ...(last === undefined ? { topBlock: { hash, height } } : { scannedToHeight: last.blockHeight }),
            ...{ synced: last === undefined, status: 'OK', padding: chain.padding },
          },
        };
      })
  );
}
