import type { JsonValue } from '@wrkz/service-kit/base';
import { walletError, walletErrorOfCode, walletErrorRows } from '../errors';
import type {
  SubWallet,
  SyncProgress,
  TransactionKey,
  Transfer,
  UnconfirmedAmount,
  WalletContent,
  WalletOutput,
  WalletTransaction,
} from '../ledger/model';
import { ContainerMembers, hashList, UnknownMembers, WrongMember } from './fields';
import * as layout from './format';
import { readContainerJson } from './json-reader';

/**
 * Reads what stands behind the markers of a container, or an export of one.
 * @throws WalletError 4 for what is no JSON, or whose members are missing or of a wrong type; 6 for another version, which
 * is looked at before any other member
 */
export function* decodeContent(bytes: Buffer): Generator<void, WalletContent> {
  try {
    return yield* decodeDocument(yield* readContainerJson(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof WrongMember)) throw error;
    throw walletErrorOfCode(walletErrorRows.walletFileCorrupted.code, undefined, { cause: error });
  }
}

function* decodeDocument(document: JsonValue): Generator<void, WalletContent> {
  const root = ContainerMembers.of(document, '');
  if (root.uint64('walletFileFormatVersion') !== layout.FORMAT_VERSION) {
    throw walletError.unsupportedWalletFileFormatVersion();
  }
  const unknown = new UnknownMembers();
  const subWallets = root.within('subWallets');
  const synchronizer = root.within('walletSynchronizer');
  unknown.noteUnknown(root, layout.ROOT, () => layout.pathOf.root);
  unknown.noteUnknown(subWallets, layout.SUB_WALLETS, () => layout.pathOf.subWallets);
  unknown.noteUnknown(synchronizer, layout.SYNCHRONIZER, () => layout.pathOf.synchronizer);
  // Both halves hold the view key; the reference uses each for its own purpose and they are always equal.
  synchronizer.key('privateViewKey');
  const isViewWallet = subWallets.flag('isViewWallet');
  return {
    privateViewKey: subWallets.key('privateViewKey'),
    isViewWallet,
    subWallets: yield* decodeSubWallets(subWallets, isViewWallet, unknown),
    subWalletIndexCounter: subWallets.has('subWalletIndexCounter') ? subWallets.count('subWalletIndexCounter') : 0,
    transactions: yield* decodeTransactions(subWallets, 'transactions', unknown),
    unconfirmed: yield* decodeTransactions(subWallets, 'lockedTransactions', unknown),
    transactionKeys: yield* decodeTransactionKeys(subWallets, unknown),
    progress: yield* decodeProgress(synchronizer, unknown),
    startTimestamp: synchronizer.count('startTimestamp'),
    startHeight: synchronizer.count('startHeight'),
    unknownMembers: unknown.all(),
  };
}

function* decodeSubWallets(
  parent: ContainerMembers,
  isView: boolean,
  unknown: UnknownMembers,
): Generator<void, SubWallet[]> {
  const found = new Map<string, SubWallet>();
  for (const members of parent.objects('subWallet')) {
    const subWallet = yield* decodeSubWallet(members, isView, unknown);
    // The reference reads them into a map, too: of two with one key it has one.
    if (!found.has(subWallet.publicSpendKey)) found.set(subWallet.publicSpendKey, subWallet);
  }
  // That list has them in the order in which they came to be; the other one is in the order of a hash map.
  const order = new Map((yield* hashList(parent, 'publicSpendKeys')).map((key, place) => [key, place]));
  const placeOf = ({ publicSpendKey }: SubWallet): number => order.get(publicSpendKey) ?? order.size;
  return [...found.values()].sort((a, b) => placeOf(a) - placeOf(b));
}

function* decodeSubWallet(
  members: ContainerMembers,
  isView: boolean,
  unknown: UnknownMembers,
): Generator<void, SubWallet> {
  const publicSpendKey = members.key('publicSpendKey');
  const privateSpendKey = members.key('privateSpendKey');
  unknown.noteUnknown(members, layout.SUB_WALLET, () => layout.pathOf.subWallet(publicSpendKey));
  return {
    walletIndex: members.has('walletIndex') ? members.count('walletIndex') : 0,
    publicSpendKey,
    privateSpendKey: isView || privateSpendKey === layout.NO_KEY ? undefined : privateSpendKey,
    address: members.text('address'),
    isPrimary: members.flag('isPrimaryAddress'),
    syncStartTimestamp: members.count('syncStartTimestamp'),
    syncStartHeight: members.count('syncStartHeight'),
    unspent: yield* decodeOutputs(members, 'unspentInputs', isView, unknown),
    locked: yield* decodeOutputs(members, 'lockedInputs', isView, unknown),
    spent: yield* decodeOutputs(members, 'spentInputs', isView, unknown),
    unconfirmedIncoming: yield* decodeUnconfirmedAmounts(members, unknown),
    ...(members.has('retiredKeys') && { retiredKeys: yield* hashList(members, 'retiredKeys') }),
  };
}

function* decodeTransactionKeys(parent: ContainerMembers, unknown: UnknownMembers): Generator<void, TransactionKey[]> {
  const keys: TransactionKey[] = [];
  for (const members of parent.objects('txPrivateKeys')) {
    const transactionHash = members.key('transactionHash');
    unknown.noteUnknown(members, layout.TRANSACTION_KEY, () => layout.pathOf.transactionKey(transactionHash));
    keys.push({ transactionHash, secretKey: members.key('txPrivateKey') });
    yield;
  }
  return keys;
}

function* decodeProgress(synchronizer: ContainerMembers, unknown: UnknownMembers): Generator<void, SyncProgress> {
  const status = synchronizer.within('transactionSynchronizerStatus');
  unknown.noteUnknown(status, layout.SYNCHRONIZER_STATUS, () => layout.pathOf.synchronizerStatus);
  return {
    height: status.count('lastKnownBlockHeight'),
    recentHashes: yield* hashList(status, 'lastKnownBlockHashes'),
    checkpointHashes: yield* hashList(status, 'blockHashCheckpoints'),
  };
}

/** The outputs of one of the three lists of a sub-wallet. */
export function* decodeOutputs(
  subWallet: ContainerMembers,
  list: 'unspentInputs' | 'lockedInputs' | 'spentInputs',
  isView: boolean,
  unknown: UnknownMembers,
): Generator<void, WalletOutput[]> {
  const outputs: WalletOutput[] = [];
  for (const members of subWallet.objects(list)) {
    const output = decodeOutput(members, isView);
    outputs.push(output);
    const { parentTransactionHash, outputIndex } = output;
    unknown.noteUnknown(members, layout.INPUT, () => layout.pathOf.output(parentTransactionHash, outputIndex));
    yield;
  }
  return outputs;
}

function decodeOutput(members: ContainerMembers, isView: boolean): WalletOutput {
  const keyImage = members.key('keyImage');
  const privateEphemeral = members.has('privateEphemeral') ? members.key('privateEphemeral') : undefined;
  return {
    // In a view wallet the reference of 2025 leaves both as whatever lay in memory.
    keyImage: isView || keyImage === layout.NO_KEY ? undefined : keyImage,
    amount: members.uint64('amount'),
    blockHeight: members.count('blockHeight'),
    transactionPublicKey: members.key('transactionPublicKey'),
    outputIndex: members.count('transactionIndex'),
    // An index that was never told is written as 0, too: only a node can tell the two apart.
    globalIndex: members.count('globalOutputIndex') || undefined,
    key: members.key('key'),
    spendHeight: members.count('spendHeight'),
    unlockTime: members.uint64('unlockTime'),
    parentTransactionHash: members.key('parentTransactionHash'),
    privateEphemeral: isView ? undefined : privateEphemeral,
    spendingTransactionHash: members.has('spendingTransactionHash')
      ? members.key('spendingTransactionHash')
      : undefined,
    ...(members.has('verified') && !members.flag('verified') && { verified: false }),
  };
}

export function* decodeUnconfirmedAmounts(
  subWallet: ContainerMembers,
  unknown: UnknownMembers,
): Generator<void, UnconfirmedAmount[]> {
  const amounts: UnconfirmedAmount[] = [];
  for (const members of subWallet.objects('unconfirmedIncomingAmounts')) {
    const key = members.key('key');
    unknown.noteUnknown(members, layout.UNCONFIRMED_AMOUNT, () => layout.pathOf.unconfirmedAmount(key));
    const parentTransactionHash = members.key('parentTransactionHash');
    amounts.push({ amount: members.uint64('amount'), key, parentTransactionHash });
    yield;
  }
  return amounts;
}

/** Transactions in the order of the file. */
export function* decodeTransactions(
  parent: ContainerMembers,
  list: 'transactions' | 'lockedTransactions',
  unknown: UnknownMembers,
): Generator<void, WalletTransaction[]> {
  const transactions: WalletTransaction[] = [];
  for (const members of parent.objects(list)) {
    transactions.push(decodeTransaction(members, unknown));
    yield;
  }
  return transactions;
}

function decodeTransaction(members: ContainerMembers, unknown: UnknownMembers): WalletTransaction {
  const hash = members.key('hash');
  unknown.noteUnknown(members, layout.TRANSACTION, () => layout.pathOf.transaction(hash));
  return {
    transfers: decodeTransfers(members, hash, unknown),
    hash,
    fee: members.uint64('fee'),
    blockHeight: members.count('blockHeight'),
    timestamp: members.count('timestamp'),
    // As it stands: the reference of 2025 also stores ids that are no hex.
    paymentId: members.text('paymentID'),
    unlockTime: members.uint64('unlockTime'),
    isCoinbase: members.flag('isCoinbaseTransaction'),
    ...(members.has('unverifiedBlock') && { unverifiedBlock: members.key('unverifiedBlock') }),
  };
}

function decodeTransfers(transaction: ContainerMembers, hash: string, unknown: UnknownMembers): Transfer[] {
  const transfers: Transfer[] = [];
  for (const members of transaction.objects('transfers')) {
    const publicSpendKey = members.key('publicKey');
    unknown.noteUnknown(members, layout.TRANSFER, () => layout.pathOf.transfer(hash, publicSpendKey));
    transfers.push({ publicSpendKey, amount: members.int64('amount') });
  }
  return transfers;
}
