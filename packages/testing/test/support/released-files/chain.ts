import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChainDb, verifyChain } from '@wrkz/chain-db';
import { networkOf, toHex } from '@wrkz/core-types';
import { chainA, Forge, type SuiteNode, writeChainADump } from '../../../src';
import type { NodeSuite } from './work-folder';

export const NETWORK = 'devnet';

/** The tip of the released chain. Chain A has transactions from block 44 on. */
export const TIP_HEIGHT = 66;

/** The files of a node that was stopped cleanly: chain database and pool. */
const CHAIN_FILES = ['chain.sqlite', 'chain.sqlite-control', 'mempool.bin'];

/** Starts a node with chain A up to `TIP_HEIGHT` and one alternative block. */
export async function startReleaseNode(suite: NodeSuite): Promise<SuiteNode> {
  const dataDir = suite.folder();
  const dump = join(suite.folder(), 'chain.dump');
  writeChainADump(dump, TIP_HEIGHT + 1);
  const code = await suite.run(dataDir, ['--import-blockchain', '--dump-file', dump]);
  if (code !== 0) throw new Error(`the import of ${dump} ended with exit code ${code}`);
  const alternative = await alternativeBlock(join(dataDir, NETWORK));
  const node = await suite.node({ from: dataDir });
  await node.rpc('submitblock', [toHex(alternative)]);
  return node;
}

async function alternativeBlock(directory: string): Promise<Buffer> {
  const db = openChainDb({ directory, network: NETWORK, readonly: true });
  try {
    const parent = db.reader.viewAt(TIP_HEIGHT - 1);
    const timestamp = (db.reader.facts(TIP_HEIGHT)?.timestamp ?? 0) + 1;
    return (await new Forge(parent, { network: networkOf(NETWORK), timestamp }).next()).block;
  } finally {
    db.close();
  }
}

export function copyChain(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of CHAIN_FILES) copyFileSync(join(from, name), join(to, name));
}

export function upgradeChain(directory: string): void {
  openChainDb({ directory, network: NETWORK, create: false }).close();
}

/** Opens the database for reading, verifies it and looks up a row by each of the four kinds of hashes. */
export async function readChain(directory: string): Promise<object> {
  const db = openChainDb({ directory, network: NETWORK, readonly: true });
  try {
    const { problems, height, digest, rulesDigest } = await verifyChain(db);
    const { reader } = db;
    const paymentIds = reader.paymentIdsBetween(0, height + 1).map(({ paymentId }) => paymentId);
    const [transaction = Buffer.alloc(32)] = reader.transactionHashes(height).slice(-1);
    const images = reader.keyImagesBetween(0, height + 1);
    return {
      ...{ problems, height, digest, rulesDigest },
      tipHash: toHex(reader.tip().hash),
      isChainA: reader.rawBlocks(0, height + 1).every((raw, i) => raw.block.equals(chainA()[i]?.block ?? Buffer.of())),
      heightOfTipHash: reader.heightOf(reader.tip().hash),
      transactions: reader.transactionCount(),
      lastTransaction: { hash: toHex(transaction), height: reader.transactionHeight(transaction) },
      keyImages: images.length,
      foundKeyImages: images.filter(({ image, height: spent }) => reader.keyImageHeight(image) === spent).length,
      paymentIds: paymentIds.map((id) => ({ id: toHex(id), uses: reader.paymentIdUses(id) })),
      alternatives: reader.alternatives().map(({ facts }) => {
        const raw = reader.alternative(facts.hash)?.raw;
        return { hash: toHex(facts.hash), height: facts.height, sizeBytes: raw?.block.length };
      }),
    };
  } finally {
    db.close();
  }
}
