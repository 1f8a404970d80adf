export { checkBlock, stageBlock, verifyBlock } from './block';
export type { BadBlock, BlockContext, GoodBlock, StagedBlock } from './block-context';
export { type BranchBlock, BranchView, genesisView } from './branch-view';
export { Checkpoints } from './checkpoints';
export { difficultyAfter, lowestDifficulty, minDifficultyAfter, nextDifficulty } from './difficulty';
export { type AddBlockCode, REASONS, RuleFailure, type Reason, type ReasonCode } from './errors';
export { minimumFee, mixinAllowed } from './transaction-alone';
export { isFusion, type FusionRules } from './fusion';
export { legacyBlocks, legacyDifficulty } from './legacy-difficulty';
export { LWMA_BLOCKS, lwmaDifficulty, type LwmaRule } from './lwma';
export { median, minTimestamp } from './median';
export { mergeMiningCommits } from './block-in-chain';
export { parseBlockOrRefuse, parseTransactionsOrRefuse } from './parse';
export { runProofs, type Proof, type ProofKind } from './proofs';
export { baseReward, blockReward, penalizedAmount, type Reward, type RewardInput, type RewardRules } from './reward';
export * from './sizes';
export { coinbaseAmounts, constructCoinbase, type CoinbaseInput, type CoinbaseReceiver } from './coinbase';
export {
  buildTemplate,
  buildTemplateBody,
  completeTemplate,
  effectiveMedian,
  sealParent,
  type Template,
  type TemplateBody,
  type TemplateBodyInput,
  type TemplateInput,
  type TemplateReceiver,
} from './template';
export { settleTransaction, stageForTemplate, stageTransaction } from './transaction';
export { keyImageId, type StagedTransaction, type TransactionContext } from './transaction-context';
export { ringIndexes } from './transaction-in-chain';
export { TX_POW_ALGORITHM, transactionNonceMeets, transactionPowDifficulty, transactionPowSearch } from './tx-pow';
export { isUnlocked, unlockTimeAllowed, type LockTime } from './unlock';
export { VerifiedBlock, blockFacts, genesisBlock } from './verified-block';
export type { BlockFacts, ChainView, OutputFacts } from './view';
