export { AttemptLimiter, type AttemptLimiterOptions } from './attempt-limiter';
export { restoreWallet, startBackupJob } from './backups';
export { isForeignFile, systemText } from './files';
export { type IdempotentRequest, IdempotentRequests, resubmitSends } from './idempotency';
export {
  nodeChoice,
  type NodeChoice,
  type NodeFields,
  nodeList,
  type WalletNodeOptions,
  parseNodeAddress,
} from './nodes';
export { isNotified, isRecent, netAmount, openingWarnings, RECENT_BLOCKS } from './notifications';
export { moneyEventLogger, registerWalletMetrics, type WalletObserver } from './observers';
export { BACKUP_OPTIONS, NETWORK_OPTION, NODE_FOLLOW_OPTIONS, SCAN_OPTIONS, WORK_THREADS } from './options';
export { deleteExpired, RETENTION, type RetentionJob, startRetentionJob } from './retention';
