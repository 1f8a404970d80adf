import { writeFileSync } from 'node:fs';
import {
  BranchView,
  buildTemplate,
  Checkpoints,
  genesisBlock,
  RuleFailure,
  sealParent,
  stageBlock,
  verifyBlock,
  type VerifiedBlock,
} from '../../packages/consensus/src';
import {
  encodeBlock,
  encodeTransaction,
  networkOf,
  parseBlock,
  ParsedTransaction,
  powInput,
  powNonceOffset,
} from '../../packages/core-types/src';
import { openChainDb } from '../../packages/chain-db/src';
import {
  derivePublicKey,
  generateKeyDerivation,
  generateKeyImage,
  generateKeyPair,
  type KeyPair,
  searchNonce,
} from '../../packages/crypto/src';

/*
 * A devnet chain with blocks of the shape of mainnet's: 36 outputs, 36 key images. It is valid only below its last checkpoint,
 * where neither signatures nor ring members nor proofs of work are checked; above it, blocks have a coinbase alone.
 */

const network = networkOf('devnet');
const TRANSACTIONS = 3;
const INPUTS = 12;
const OUTPUTS = 12;
const AMOUNT = 1_000_000n;
const FEE = 1_200_000n;
/** Blocks in one commit. */
const COMMIT = 500;
/** Transactions start above this height: from block 450 on the rules of devnet are those of mainnet today. */
const FIRST_TRANSACTIONS = 450;
const CHECKPOINT_INTERVAL = 100;
const START = 1_700_000_000;

const keys = Array.from({ length: 500 }, () => generateKeyPair());
let images = 0;

/** A new key image of prime order: its secret key is random, its public key is one of a few. */
function keyImage(): Buffer {
  const { publicKey } = keys[images++ % keys.length] as KeyPair;
  return generateKeyImage(publicKey, generateKeyPair().secretKey);
}

/** The public keys of a wallet that receives all outputs of every n-th transaction. */
export interface ChainWallet {
  readonly viewPublic: Buffer;
  readonly spendPublic: Buffer;
  readonly everyNth: number;
}

function keyOf(wallet: ChainWallet, { secretKey }: KeyPair, index: number): Buffer {
  const derivation = generateKeyDerivation(wallet.viewPublic, secretKey);
  const key = derivation && derivePublicKey(derivation, index, wallet.spendPublic);
  if (key === null) throw new Error('the wallet has an invalid key');
  return key;
}

function transaction(height: number, wallet: ChainWallet | undefined): ParsedTransaction {
  const ring = network.rulesAt(height).mixin.min + 1;
  const inputs = Array.from({ length: INPUTS }, (_, i) => ({
    type: 'key' as const,
    amount: AMOUNT,
    keyOffsets: Array.from({ length: ring }, (_, k) => (k === 0 ? height + i : 7)),
    keyImage: keyImage(),
  }));
  const transactionKeys = wallet === undefined ? (keys[height % keys.length] as KeyPair) : generateKeyPair();
  const outputs = Array.from({ length: OUTPUTS }, (_, i) => ({
    amount: i === 0 ? AMOUNT / 2n : (AMOUNT * BigInt(INPUTS) - FEE - AMOUNT / 2n) / BigInt(OUTPUTS - 1),
    key:
      wallet === undefined
        ? (keys[(height + i) % keys.length] as KeyPair).publicKey
        : keyOf(wallet, transactionKeys, i),
  }));
  const extra = Buffer.concat([Buffer.from([1]), transactionKeys.publicKey]);
  const signatures = inputs.map(() => Buffer.alloc(64 * ring, 1));
  const made = { version: 1, unlockTime: BigInt(height + 100), inputs, outputs, extra, signatures };
  return new ParsedTransaction(made, encodeTransaction(made));
}

interface FirstSyncChainOptions {
  readonly blocks: number;
  readonly checkpointFile: string;
  /** Called with the height after each commit. */
  readonly progress: (height: number) => void;
  readonly wallet?: ChainWallet | undefined;
}

/**
 * Builds the chain in an empty folder, and a file of checkpoints up to 90 % of its height. Blocks with outputs
 * of the wallet have a proof of work, which wallets check.
 */
export async function buildFirstSyncChain(
  directory: string,
  { blocks, checkpointFile, progress, wallet }: FirstSyncChainOptions,
): Promise<void> {
  const db = openChainDb({ directory, network: 'devnet' });
  const { writer } = db;
  if (writer === undefined) throw new Error('the database is open for reading only');
  writer.append([genesisBlock(network)]);
  const zone = Math.floor(blocks * 0.9);
  const view = new BranchView(db.reader.viewAt(0));
  const receiver = { spendPublic: generateKeyPair().publicKey, viewPublic: generateKeyPair().publicKey };
  // Every height of the zone, so that the rules of the zone apply while the chain is built.
  const covering = new Checkpoints(new Map([[zone, Buffer.alloc(32)]]));
  let pending: VerifiedBlock[] = [];
  let made = 0;
  const commit = (): void => {
    writer.append(pending);
    pending = [];
    view.rebase(db.reader.viewAt(view.height));
    progress(view.height);
  };
  for (let height = 1; height <= blocks; height++) {
    const withTransactions = height > FIRST_TRANSACTIONS && height < zone;
    let isOwn = false;
    const candidates = Array.from({ length: withTransactions ? TRANSACTIONS : 0 }, () => {
      const receives = wallet !== undefined && ++made % wallet.everyNth === 0;
      isOwn ||= receives;
      return transaction(height - 1, receives ? wallet : undefined);
    });
    const now = START + height * 60;
    const template = await buildTemplate({
      ...{ network, view, now, receiver, candidates },
      ...{ transactionKeys: generateKeyPair(), extraNonce: Buffer.alloc(0) },
    });
    if (template.transactions.length !== candidates.length) {
      throw new Error(`block ${String(height)}: ${String(template.refused[0]?.failure.message)}`);
    }
    let block = sealParent(template.block);
    if (height >= zone || isOwn) {
      const found = await searchNonce({
        algorithm: network.rulesAt(height).powAlgorithm,
        data: powInput(block),
        nonceOffset: powNonceOffset(block),
        nonceSize: 4,
        difficulty: template.difficulty,
      });
      block = { ...block, nonce: Number(found?.nonce) };
    }
    const context = { network, view, now, checkpoints: height < zone ? covering : Checkpoints.none };
    const staged = stageBlock(parseBlock(encodeBlock(block)), template.transactions, context);
    if (staged.failure !== undefined) throw new Error(`block ${String(height)}: ${staged.failure.message}`);
    const verified = verifyBlock(
      staged,
      staged.proofs.map(() => true),
    );
    if (verified instanceof RuleFailure) throw new Error(verified.message);
    pending.push(verified);
    view.push(staged);
    if (pending.length === COMMIT) commit();
  }
  if (pending.length > 0) commit();
  const lines: string[] = [];
  for (let height = 0; height < zone; height += CHECKPOINT_INTERVAL) lines.push(line(db.reader.hashAt(height), height));
  lines.push(line(db.reader.hashAt(zone - 1), zone - 1));
  writeFileSync(checkpointFile, lines.join(''));
  db.close();
}

function line(hash: Buffer | undefined, height: number): string {
  if (hash === undefined) throw new Error(`no block ${String(height)}`);
  return `${String(height)},${hash.toString('hex')}\n`;
}
