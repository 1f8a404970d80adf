import { MAX_UINT64 } from '@wrkz/core-types';
import type { JsonObject, JsonValue } from '@wrkz/service-kit/base';
import { walletError, walletErrorOf } from '../errors';
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
import { FORMAT_VERSION, NO_KEY, pathOf } from './encode';
import { readContainerJson } from './json-reader';

/**
 * Decodes the JSON of a container or of an export. `runInSlices` runs the generator.
 * @throws WalletError unsupportedWalletFileFormatVersion, which is checked first; walletFileCorrupted when the bytes are not JSON
 * or a field is missing or of a wrong type
 */
export function* decodeContent(bytes: Buffer): Generator<void, WalletContent> {
  try {
    return yield* decodeDocument(yield* readContainerJson(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof FieldError)) throw error;
    throw walletErrorOf('walletFileCorrupted', undefined, { cause: error });
  }
}

function* decodeDocument(document: JsonValue): Generator<void, WalletContent> {
  const unknownFields: UnknownFields = new Map();
  const root = new ContainerFields(document, '', unknownFields);
  if (root.uint64('walletFileFormatVersion') !== FORMAT_VERSION) throw walletError.unsupportedWalletFileFormatVersion();
  const subWallets = root.within('subWallets');
  const synchronizer = root.within('walletSynchronizer');
  // A copy of the view key in `subWallets`: only its format is checked.
  synchronizer.key('privateViewKey');
  const isViewWallet = subWallets.flag('isViewWallet');
  const content = {
    privateViewKey: subWallets.key('privateViewKey'),
    isViewWallet,
    subWallets: yield* decodeSubWallets(subWallets, isViewWallet),
    subWalletIndexCounter: subWallets.has('subWalletIndexCounter') ? subWallets.count('subWalletIndexCounter') : 0,
    transactions: yield* decodeList(subWallets, 'transactions', decodeTransaction),
    unconfirmed: yield* decodeList(subWallets, 'lockedTransactions', decodeTransaction),
    transactionKeys: yield* decodeList(subWallets, 'txPrivateKeys', decodeTransactionKey),
    progress: yield* decodeProgress(synchronizer.within('transactionSynchronizerStatus')),
    startTimestamp: synchronizer.count('startTimestamp'),
    startHeight: synchronizer.count('startHeight'),
    unknownFields,
  };
  root.storeUnknown(pathOf.root);
  subWallets.storeUnknown(pathOf.subWallets);
  synchronizer.storeUnknown(pathOf.synchronizer);
  return content;
}

function* decodeSubWallets(parent: ContainerFields, isView: boolean): Generator<void, SubWallet[]> {
  const found = new Map<string, SubWallet>();
  for (const fields of parent.objects('subWallet')) {
    const subWallet = yield* decodeSubWallet(fields, isView);
    // The C++ wallets read the list into a map. Of two sub-wallets with one key, the first is used.
    if (!found.has(subWallet.publicSpendKey)) found.set(subWallet.publicSpendKey, subWallet);
  }
  // `publicSpendKeys` has the order of creation, `subWallet` the order of a hash map.
  const order = new Map((yield* decodeHashes(parent, 'publicSpendKeys')).map((key, index) => [key, index]));
  const indexOf = ({ publicSpendKey }: SubWallet): number => order.get(publicSpendKey) ?? order.size;
  return [...found.values()].sort((a, b) => indexOf(a) - indexOf(b));
}

function* decodeSubWallet(fields: ContainerFields, isView: boolean): Generator<void, SubWallet> {
  const publicSpendKey = fields.key('publicSpendKey');
  const privateSpendKey = fields.key('privateSpendKey');
  const output = (each: ContainerFields): WalletOutput => decodeOutput(each, isView);
  const subWallet = {
    walletIndex: fields.has('walletIndex') ? fields.count('walletIndex') : 0,
    publicSpendKey,
    privateSpendKey: isView || privateSpendKey === NO_KEY ? undefined : privateSpendKey,
    address: fields.text('address'),
    isPrimary: fields.flag('isPrimaryAddress'),
    syncStartTimestamp: fields.count('syncStartTimestamp'),
    syncStartHeight: fields.count('syncStartHeight'),
    unspent: yield* decodeList(fields, 'unspentInputs', output),
    locked: yield* decodeList(fields, 'lockedInputs', output),
    spent: yield* decodeList(fields, 'spentInputs', output),
    unconfirmedIncoming: yield* decodeList(fields, 'unconfirmedIncomingAmounts', decodeUnconfirmedAmount),
    ...(fields.has('retiredKeys') && { retiredKeys: yield* decodeHashes(fields, 'retiredKeys') }),
  };
  fields.storeUnknown(pathOf.subWallet(publicSpendKey));
  return subWallet;
}

function* decodeProgress(status: ContainerFields): Generator<void, SyncProgress> {
  const progress = {
    height: status.count('lastKnownBlockHeight'),
    recentHashes: yield* decodeHashes(status, 'lastKnownBlockHashes'),
    checkpointHashes: yield* decodeHashes(status, 'blockHashCheckpoints'),
  };
  status.storeUnknown(pathOf.synchronizerStatus);
  return progress;
}

function decodeTransactionKey(fields: ContainerFields): TransactionKey {
  const transactionHash = fields.key('transactionHash');
  const secretKey = fields.key('txPrivateKey');
  fields.storeUnknown(pathOf.transactionKey(transactionHash));
  return { transactionHash, secretKey };
}

function decodeOutput(fields: ContainerFields, isView: boolean): WalletOutput {
  const keyImage = fields.key('keyImage');
  const privateEphemeral = fields.optionalKey('privateEphemeral');
  const output = {
    // The C++ wallets of 2025 wrote uninitialised memory into both fields of a view wallet.
    keyImage: isView || keyImage === NO_KEY ? undefined : keyImage,
    amount: fields.uint64('amount'),
    blockHeight: fields.count('blockHeight'),
    transactionPublicKey: fields.key('transactionPublicKey'),
    outputIndex: fields.count('transactionIndex'),
    // 0 also means "unknown", so the index is requested from the node.
    globalIndex: fields.count('globalOutputIndex') || undefined,
    key: fields.key('key'),
    spendHeight: fields.count('spendHeight'),
    unlockTime: fields.uint64('unlockTime'),
    parentTransactionHash: fields.key('parentTransactionHash'),
    privateEphemeral: isView ? undefined : privateEphemeral,
    spendingTransactionHash: fields.optionalKey('spendingTransactionHash'),
    ...(fields.has('verified') && !fields.flag('verified') && { verified: false as const }),
  };
  fields.storeUnknown(pathOf.output(output.parentTransactionHash, output.outputIndex));
  return output;
}

function decodeUnconfirmedAmount(fields: ContainerFields): UnconfirmedAmount {
  const key = fields.key('key');
  const parentTransactionHash = fields.key('parentTransactionHash');
  const amount = fields.uint64('amount');
  fields.storeUnknown(pathOf.unconfirmedAmount(key));
  return { amount, key, parentTransactionHash };
}

function decodeTransaction(fields: ContainerFields): WalletTransaction {
  const hash = fields.key('hash');
  const transaction = {
    transfers: Array.from(fields.objects('transfers'), (transfer) => decodeTransfer(transfer, hash)),
    hash,
    fee: fields.uint64('fee'),
    blockHeight: fields.count('blockHeight'),
    timestamp: fields.count('timestamp'),
    // Not checked: C++ wallets of 2025 also store payment ids that are not hex.
    paymentId: fields.text('paymentID'),
    unlockTime: fields.uint64('unlockTime'),
    isCoinbase: fields.flag('isCoinbaseTransaction'),
    ...(fields.has('unverifiedBlock') && { unverifiedBlock: fields.key('unverifiedBlock') }),
  };
  fields.storeUnknown(pathOf.transaction(hash));
  return transaction;
}

function decodeTransfer(fields: ContainerFields, hash: string): Transfer {
  const publicSpendKey = fields.key('publicKey');
  const amount = fields.int64('amount');
  fields.storeUnknown(pathOf.transfer(hash, publicSpendKey));
  return { publicSpendKey, amount };
}

/** Decodes a list of objects in the order of the file. Yields after each object. */
function* decodeList<T>(
  parent: ContainerFields,
  name: string,
  decode: (fields: ContainerFields) => T,
): Generator<void, T[]> {
  const items: T[] = [];
  for (const fields of parent.objects(name)) {
    items.push(decode(fields));
    yield;
  }
  return items;
}

/** Decodes a list of hashes. A hash that is equal to the previous one is dropped (docs/protocol/wallet.md#container). */
function* decodeHashes(parent: ContainerFields, name: string): Generator<void, string[]> {
  const hashes: string[] = [];
  for (const value of parent.list(name)) {
    if (typeof value !== 'string' || !KEY_OF_ANY_CASE.test(value)) throw new FieldError(`${name} has an invalid hash`);
    const hash = value.toLowerCase();
    if (hash !== hashes.at(-1)) hashes.push(hash);
    yield;
  }
  return hashes;
}

type UnknownFields = Map<string, Readonly<Record<string, unknown>>>;

/** A field of the JSON is missing or has a wrong type. The message has the name of the field; its value may be a secret. */
class FieldError extends Error {
  override readonly name = 'FieldError';
}

const KEY = /^[0-9a-f]{64}$/;
const KEY_OF_ANY_CASE = /^[0-9a-fA-F]{64}$/;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/** Reads typed fields of a JSON object. Each field is read once. @throws FieldError */
class ContainerFields {
  private readonly object: JsonObject;
  private readonly readNames: string[] = [];

  /** @param place path of the object, for messages @param unknownFields receives the unread fields by path */
  constructor(
    value: JsonValue | undefined,
    private readonly place: string,
    private readonly unknownFields: UnknownFields,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new FieldError(`${place === '' ? 'the document' : place} is not an object`);
    }
    this.object = value;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.object, name);
  }

  /** 32 bytes as hex in either case. @returns lower case */
  key(name: string): string {
    const value = this.read(name);
    if (typeof value === 'string' && KEY.test(value)) return value;
    if (typeof value !== 'string' || !KEY_OF_ANY_CASE.test(value)) throw this.error(name, '32 bytes of hex');
    return value.toLowerCase();
  }

  optionalKey(name: string): string | undefined {
    return this.has(name) ? this.key(name) : undefined;
  }

  text(name: string): string {
    const value = this.read(name);
    if (typeof value !== 'string') throw this.error(name, 'a string');
    return value;
  }

  flag(name: string): boolean {
    const value = this.read(name);
    if (typeof value !== 'boolean') throw this.error(name, 'true or false');
    return value;
  }

  uint64(name: string): bigint {
    const value = this.read(name);
    if (typeof value !== 'bigint' || value < 0n || value > MAX_UINT64) throw this.error(name, 'an unsigned integer');
    return value;
  }

  int64(name: string): bigint {
    const value = this.read(name);
    if (typeof value !== 'bigint' || value < -MAX_INT64 - 1n || value > MAX_INT64) throw this.error(name, 'an integer');
    return value;
  }

  /**
   * A height, time or index. The C++ wallets write -1 as 2^64 - 1. Values above 2^53 - 1 are read as 2^53 - 1, which is
   * also above every height.
   */
  count(name: string): number {
    const value = this.uint64(name);
    return Number(value > MAX_NUMBER ? MAX_NUMBER : value);
  }

  within(name: string): ContainerFields {
    return new ContainerFields(this.read(name), `${this.place}${name}.`, this.unknownFields);
  }

  list(name: string): readonly JsonValue[] {
    const value = this.read(name);
    if (!Array.isArray(value)) throw this.error(name, 'a list');
    return value;
  }

  *objects(name: string): Generator<ContainerFields> {
    let index = 0;
    for (const value of this.list(name)) {
      yield new ContainerFields(value, `${this.place}${name}[${index++}].`, this.unknownFields);
    }
  }

  /** Stores the unread fields, so that a save writes them back. Of two objects with one path, the first is stored. */
  storeUnknown(path: string): void {
    const names = Object.keys(this.object);
    if (names.length === this.readNames.length || this.unknownFields.has(path)) return;
    const unknown = Object.create(null) as Record<string, unknown>;
    for (const name of names) if (!this.readNames.includes(name)) unknown[name] = this.object[name];
    this.unknownFields.set(path, unknown);
  }

  private read(name: string): JsonValue | undefined {
    if (!this.has(name)) return undefined;
    this.readNames.push(name);
    return this.object[name];
  }

  private error(name: string, expected: string): FieldError {
    return new FieldError(`${this.place}${name} is not ${expected}`);
  }
}
