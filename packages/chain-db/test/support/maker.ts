import { createHash } from 'node:crypto';
import {
  BranchView,
  Checkpoints,
  VerifiedBlock,
  blockReward,
  coinbaseAmounts,
  genesisBlock,
  genesisView,
  medianSize,
  stageBlock,
  verifyBlock,
} from '@wrkz/consensus';
import {
  buildExtra,
  buildNonce,
  encodeBlock,
  encodeTransaction,
  networkOf,
  parseBlock,
  parseTransaction,
  type ParentBlock,
  type ParsedTransaction,
} from '@wrkz/core-types';

/** A synthetic transaction: amounts of its outputs and the number of its inputs. */
export interface TransactionPlan {
  readonly amounts: readonly number[];
  readonly inputs: number;
  readonly unlockTime?: bigint;
  /** Number of its plain payment id, see {@link inventedId}. */
  readonly paymentId?: number | undefined;
  /** `height/salt/position` of the transaction whose key images it repeats; `salt` is that of the block. */
  readonly imagesOf?: string;
}

/** A synthetic block; `salt` makes blocks of the same parent different. */
export interface BlockPlan {
  readonly salt: number;
  readonly transactions: readonly TransactionPlan[];
}

/** Rings of one are allowed below this height, so that transactions need no history. */
export const HIGHEST_MADE = 28;

const devnet = networkOf('devnet');
const NOW = 2_000_000_000;
const FEE = 100n;
// All blocks are in the checkpoint zone, where proofs of work and signatures are not verified.
const checkpoints = new Checkpoints(new Map([[1_000_000, Buffer.alloc(32)]]));

const bytes = (...seed: readonly (string | number)[]): Buffer => createHash('sha256').update(seed.join('/')).digest();

/** The plain payment id for a number in a plan. */
export const inventedId = (number: number): Buffer => bytes('payment id', number);

/** The planned blocks on top of `base`: valid by every rule except the proofs. */
export function makeChain(
  plans: readonly BlockPlan[],
  base: readonly VerifiedBlock[] = [genesisBlock(devnet)],
): VerifiedBlock[] {
  const view = new BranchView(genesisView(devnet));
  for (const block of base.slice(1)) view.push(block);
  return plans.map((plan) => {
    const block = makeBlock(view, plan);
    view.push(block);
    return block;
  });
}

function makeBlock(view: BranchView, plan: BlockPlan): VerifiedBlock {
  const parent = view.facts(view.height);
  const height = parent.height + 1;
  const rules = devnet.rulesAt(height);
  const transactions = plan.transactions.map((one, i) => makeTransaction(one, `${height}/${plan.salt}/${i}`));
  const size = transactions.reduce((sum, one) => sum + one.size, 0);
  const median = Math.max(medianSize(view.window(parent.height, 100)), rules.fullRewardZone);
  const fees = FEE * BigInt(transactions.length);
  const reward = blockReward({ rules, medianSize: median, size, generatedCoins: parent.generatedCoins, fees });
  if (reward === undefined) throw new RangeError('the plan makes too large a block');
  const block = {
    majorVersion: rules.blockVersion,
    minorVersion: 0,
    timestamp: BigInt(1_500_000_000 + height * 60 + (plan.salt % 50)),
    previousHash: parent.hash,
    nonce: plan.salt,
    ...(rules.blockVersion === 1 ? {} : { parentBlock: emptyParent() }),
    coinbase: {
      version: 1,
      unlockTime: BigInt(height + 40),
      inputs: [{ type: 'base' as const, height }],
      outputs: coinbaseAmounts(reward.total, rules.dustThreshold).map((amount, i) => ({
        amount,
        key: bytes('coinbase', height, plan.salt, i),
      })),
      extra: Buffer.alloc(0),
      signatures: [Buffer.alloc(0)],
    },
    transactionHashes: transactions.map(({ hash }) => hash),
  };
  const context = { network: devnet, view, now: NOW, checkpoints };
  const staged = stageBlock(parseBlock(encodeBlock(block)), transactions, context);
  const verified = verifyBlock(
    staged,
    staged.proofs.map(() => true),
  );
  if (!(verified instanceof VerifiedBlock)) throw new Error(`block ${height}: ${verified.message}`);
  return verified;
}

function makeTransaction(plan: TransactionPlan, seed: string): ParsedTransaction {
  const outputs = plan.amounts.map((amount, i) => ({ amount: BigInt(amount), key: bytes('output', seed, i) }));
  const total = outputs.reduce((sum, { amount }) => sum + amount, FEE);
  const inputs = Array.from({ length: plan.inputs }, (_, i) => ({
    type: 'key' as const,
    amount: i === 0 ? total - BigInt(plan.inputs - 1) : 1n,
    keyOffsets: [i],
    keyImage: bytes('image', plan.imagesOf ?? seed, i),
  }));
  const signatures = inputs.map((_, i) => Buffer.concat([bytes('c', seed, i), bytes('r', seed, i)]));
  const unlockTime = plan.unlockTime ?? 0n;
  const extra = Buffer.concat([
    plan.paymentId === undefined ? Buffer.alloc(0) : extraWith(plan.paymentId),
    bytes(seed),
  ]);
  return parseTransaction(encodeTransaction({ version: 1, unlockTime, inputs, outputs, extra, signatures }));
}

function extraWith(paymentId: number): Buffer {
  return buildExtra({ nonce: buildNonce({ paymentId: inventedId(paymentId).toString('hex') }) });
}

function emptyParent(): ParentBlock {
  const extra = buildExtra({ mergeMining: { depth: 0n, root: Buffer.alloc(32) } });
  return {
    majorVersion: 1,
    minorVersion: 0,
    previousHash: Buffer.alloc(32),
    transactionCount: 1,
    baseTransactionBranch: [],
    baseTransaction: { version: 0, unlockTime: 0n, inputs: [], outputs: [], extra },
    blockchainBranch: [],
  };
}
