import { stringifyJson } from '@wrkz/service-kit/base';
import type { SubWallet, TransactionKey, WalletContent } from '../ledger/model';
import * as layout from './layout';
import { ObjectWriter, type UnknownByPath } from './object-writer';
import { inputText, transactionText, unconfirmedAmountText } from './record-text';

/**
 * The JSON of a container, piece by piece: without white space, members sorted by name, as the reference of 2026 writes it.
 * What it says is fixed when it begins only as far as the content does not change meanwhile.
 */
export function* encodeContent(content: WalletContent): Generator<string, void> {
  const unknown = content.unknownMembers;
  const root = new ObjectWriter(unknown, layout.pathOf.root);
  yield* root.object(layout.ROOT, {
    subWallets: () => subWalletsPieces(content),
    walletFileFormatVersion: () => one(String(layout.FORMAT_VERSION)),
    walletSynchronizer: () => synchronizerPieces(content),
  });
}

function* one(text: string): Generator<string, void> {
  yield text;
}

function* subWalletsPieces(content: WalletContent): Generator<string, void> {
  const { subWallets, unknownMembers: unknown } = content;
  yield* new ObjectWriter(unknown, layout.pathOf.subWallets).object(layout.SUB_WALLETS, {
    isViewWallet: () => one(String(content.isViewWallet)),
    lockedTransactions: () => list(content.unconfirmed, (transaction) => transactionText(transaction, unknown)),
    privateViewKey: () => one(`"${content.privateViewKey}"`),
    publicSpendKeys: () => list(subWallets, ({ publicSpendKey }) => `"${publicSpendKey}"`),
    subWallet: () => lists(subWallets, (subWallet) => subWalletPieces(subWallet, unknown)),
    subWalletIndexCounter: () => one(String(content.subWalletIndexCounter)),
    transactions: () => list(content.transactions, (transaction) => transactionText(transaction, unknown)),
    txPrivateKeys: () => list(content.transactionKeys, (key) => transactionKeyText(key, unknown)),
  });
}

function subWalletPieces(subWallet: SubWallet, unknown: UnknownByPath): Generator<string, void> {
  const { publicSpendKey, retiredKeys } = subWallet;
  return new ObjectWriter(unknown, layout.pathOf.subWallet(publicSpendKey)).object(layout.SUB_WALLET, {
    address: () => one(stringifyJson(subWallet.address)),
    isPrimaryAddress: () => one(String(subWallet.isPrimary)),
    lockedInputs: () => list(subWallet.locked, (output) => inputText(output, unknown)),
    privateSpendKey: () => one(`"${subWallet.privateSpendKey ?? layout.NO_KEY}"`),
    publicSpendKey: () => one(`"${publicSpendKey}"`),
    retiredKeys: retiredKeys === undefined ? undefined : () => list(retiredKeys, (key) => `"${key}"`),
    spentInputs: () => list(subWallet.spent, (output) => inputText(output, unknown)),
    syncStartHeight: () => one(String(subWallet.syncStartHeight)),
    syncStartTimestamp: () => one(String(subWallet.syncStartTimestamp)),
    unconfirmedIncomingAmounts: () =>
      list(subWallet.unconfirmedIncoming, (amount) => unconfirmedAmountText(amount, unknown)),
    unspentInputs: () => list(subWallet.unspent, (output) => inputText(output, unknown)),
    walletIndex: () => one(String(subWallet.walletIndex)),
  });
}

function transactionKeyText({ transactionHash, secretKey }: TransactionKey, unknown: UnknownByPath): string {
  return new ObjectWriter(unknown, layout.pathOf.transactionKey(transactionHash)).text(layout.TRANSACTION_KEY, {
    transactionHash: `"${transactionHash}"`,
    txPrivateKey: `"${secretKey}"`,
  });
}

function synchronizerPieces(content: WalletContent): Generator<string, void> {
  return new ObjectWriter(content.unknownMembers, layout.pathOf.synchronizer).object(layout.SYNCHRONIZER, {
    privateViewKey: () => one(`"${content.privateViewKey}"`),
    startHeight: () => one(String(content.startHeight)),
    startTimestamp: () => one(String(content.startTimestamp)),
    transactionSynchronizerStatus: () => statusPieces(content),
  });
}

function statusPieces({ progress, unknownMembers }: WalletContent): Generator<string, void> {
  const { pathOf, SYNCHRONIZER_STATUS } = layout;
  return new ObjectWriter(unknownMembers, pathOf.synchronizerStatus).object(SYNCHRONIZER_STATUS, {
    blockHashCheckpoints: () => list(withoutRepeats(progress.checkpointHashes), (hash) => `"${hash}"`),
    lastKnownBlockHashes: () => list(withoutRepeats(progress.recentHashes), (hash) => `"${hash}"`),
    lastKnownBlockHeight: () => one(String(progress.height)),
  });
}

/** A hash is never written twice running. */
function withoutRepeats(hashes: readonly string[]): readonly string[] {
  return hashes.filter((hash, i) => hash !== hashes[i - 1]);
}

function* list<T>(items: readonly T[], text: (item: T) => string): Generator<string, void> {
  let separator = '[';
  for (const item of items) {
    yield separator + text(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function* lists<T>(items: readonly T[], pieces: (item: T) => Generator<string, void>): Generator<string, void> {
  let separator = '[';
  for (const item of items) {
    yield separator;
    yield* pieces(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
