export * from './transaction/model';
export { buildSend, estimateSend } from './transaction/build-send';
export { estimateSweep, sweep, type SweepEntry, type SweepRequest, type SweepResult } from './transaction/sweep';
export { decodeContent } from './container/content';
export { WalletFile } from './container/wallet-file';
export { contentText } from './container/encrypted-file';
export {
  isWalletError,
  writeFailure,
  nodeRefusal,
  WalletClosed,
  WalletError,
  walletError,
  walletErrorOf,
  walletErrorRows,
} from './errors';
export type { WalletErrorName } from './error-table';
export { checkAddress, checkPaymentId, integratedAddress, type CheckedAddress } from './keys/addresses';
export * from './keys/wallet-keys';
export type { HeldTransaction } from './ledger/held-transactions';
export { Ledger, type LedgerKeys } from './ledger/ledger';
export * from './ledger/model';
export { copiesOf } from './ledger/output-book';
export type { Balance } from './ledger/queries';
export {
  DEFAULT_POW_SERVER,
  POW_SERVER_OPTIONS,
  powServerSettings,
  type PowServerSettings,
  powServerUrl,
} from './pow-client/settings';
export { PowClient, type PowClientOptions } from './pow-client/pow-client';
export { CONFIRMATIONS } from './send/pending-sends';
export type { SendObserver } from './send/sender';
export { submitSend } from './send/submit';
export { scannedBatches } from './sync/scanner';
export type { WalletSyncStatus } from './sync/status';
export { Synchronizer, type SynchronizerOptions } from './sync/synchronizer';
export { heldBy, Wallet, type WalletDependencies, type WalletOptions } from './wallet/wallet';
export { restoreBackup } from './wallet/backup';
export { storageError } from './wallet/storage';
export { WalletSnapshot } from './wallet/snapshot';
export {
  ForeignWalletDb,
  type Label,
  WalletDb,
  WalletDbDamaged,
  walletDbName,
  type WalletDbOptions,
} from './wallet-db/wallet-db';
export { NotifiedStage, type SentOutput, type StoredDetails, utcDayOf } from './wallet-db/records';
export type { StoredEvent } from './wallet-db/logs';
export type { IdempotencyKey } from './wallet-db/requests';
export type { DelayedSend, DelayedSendState, SendState } from './wallet-db/sends';
