import { stringifyJson } from '@wrkz/service-kit/base';
import type {
  SubWallet,
  TransactionKey,
  UnconfirmedAmount,
  WalletContent,
  WalletOutput,
  WalletTransaction,
} from '../ledger/model';
import * as layout from './format';

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

/* The JSON of what a container holds by the thousand. */

const quoted = (key: string): string => `"${key}"`;
const quotedIfAny = (key: string | undefined): string | undefined => (key === undefined ? undefined : `"${key}"`);

export function inputText(output: WalletOutput, unknown: UnknownByPath): string {
  const { parentTransactionHash, outputIndex } = output;
  return new ObjectWriter(unknown, layout.pathOf.output(parentTransactionHash, outputIndex)).text(layout.INPUT, {
    amount: String(output.amount),
    blockHeight: String(output.blockHeight),
    globalOutputIndex: String(output.globalIndex ?? 0),
    key: quoted(output.key),
    keyImage: quoted(output.keyImage ?? layout.NO_KEY),
    parentTransactionHash: quoted(parentTransactionHash),
    privateEphemeral: quotedIfAny(output.privateEphemeral),
    spendHeight: String(output.spendHeight),
    spendingTransactionHash: quotedIfAny(output.spendingTransactionHash),
    transactionIndex: String(outputIndex),
    transactionPublicKey: quoted(output.transactionPublicKey),
    unlockTime: String(output.unlockTime),
    verified: output.verified === false ? 'false' : undefined,
  });
}

export function unconfirmedAmountText(amount: UnconfirmedAmount, unknown: UnknownByPath): string {
  return new ObjectWriter(unknown, layout.pathOf.unconfirmedAmount(amount.key)).text(layout.UNCONFIRMED_AMOUNT, {
    amount: String(amount.amount),
    key: quoted(amount.key),
    parentTransactionHash: quoted(amount.parentTransactionHash),
  });
}

export function transactionText(transaction: WalletTransaction, unknown: UnknownByPath): string {
  const { hash } = transaction;
  const transfers = transaction.transfers.map(({ publicSpendKey, amount }) =>
    new ObjectWriter(unknown, layout.pathOf.transfer(hash, publicSpendKey)).text(layout.TRANSFER, {
      amount: String(amount),
      publicKey: quoted(publicSpendKey),
    }),
  );
  return new ObjectWriter(unknown, layout.pathOf.transaction(hash)).text(layout.TRANSACTION, {
    blockHeight: String(transaction.blockHeight),
    fee: String(transaction.fee),
    hash: quoted(hash),
    isCoinbaseTransaction: String(transaction.isCoinbase),
    paymentID: JSON.stringify(transaction.paymentId),
    timestamp: String(transaction.timestamp),
    transfers: `[${transfers.join(',')}]`,
    unlockTime: String(transaction.unlockTime),
    unverifiedBlock: quotedIfAny(transaction.unverifiedBlock),
  });
}

export type UnknownByPath = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Writes an object with its known members, those that are undefined left out, and what a file held besides, sorted by name. */
export class ObjectWriter {
  private readonly others: Readonly<Record<string, unknown>> | undefined;

  constructor(unknown: UnknownByPath, path: string) {
    this.others = unknown.size === 0 ? undefined : unknown.get(path);
  }

  /** For objects that may be large. @param names of the members, sorted */
  *object<Name extends string>(
    names: readonly Name[],
    members: Readonly<Record<Name, (() => Generator<string, void>) | undefined>>,
  ): Generator<string, void> {
    let separator = '{';
    for (const name of this.allNames(names)) {
      const known = isOneOf(names, name);
      const pieces = known ? members[name] : undefined;
      if (known && pieces === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      if (pieces !== undefined) yield* pieces();
      else yield stringifyJson(this.others?.[name]);
      separator = ',';
    }
    yield '}';
  }

  /** For the many small ones. @param members their JSON */
  text<Name extends string>(names: readonly Name[], members: Readonly<Record<Name, string | undefined>>): string {
    let text = '';
    for (const name of this.allNames(names)) {
      const value = isOneOf(names, name) ? members[name] : stringifyJson(this.others?.[name]);
      if (value === undefined) continue;
      text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${value}`;
    }
    return `${text}}`;
  }

  private allNames(known: readonly string[]): readonly string[] {
    if (this.others === undefined) return known;
    const others = Object.keys(this.others).filter((name) => !known.includes(name));
    return [...known, ...others].sort();
  }
}

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
