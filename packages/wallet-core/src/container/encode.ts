import { stringifyJson } from '@wrkz/service-kit/base';
import type {
  SubWallet,
  TransactionKey,
  UnconfirmedAmount,
  WalletContent,
  WalletOutput,
  WalletTransaction,
} from '../ledger/model';

export const FORMAT_VERSION = 0n;

/** Encoding of an absent key, key image or secret. */
export const NO_KEY = '0'.repeat(64);

/**
 * The paths of `WalletContent.unknownFields`. The path of a list element contains its hash or key instead of its index, so
 * that unknown fields stay with an output that is spent and a transaction that is mined.
 */
export const pathOf = {
  root: '',
  subWallets: 'subWallets',
  synchronizer: 'walletSynchronizer',
  synchronizerStatus: 'walletSynchronizer.transactionSynchronizerStatus',
  subWallet: (publicSpendKey: string): string => `subWallet ${publicSpendKey}`,
  output: (parentTransactionHash: string, outputIndex: number): string =>
    `output ${parentTransactionHash} ${outputIndex}`,
  unconfirmedAmount: (key: string): string => `unconfirmedAmount ${key}`,
  transaction: (hash: string): string => `transaction ${hash}`,
  transfer: (hash: string, publicSpendKey: string): string => `transfer ${hash} ${publicSpendKey}`,
  transactionKey: (hash: string): string => `transactionKey ${hash}`,
} as const;

/**
 * Encodes the JSON of a container in pieces: no white space, fields sorted by name, as in the C++ wallets of 2026. The
 * content must not change until the last piece is encoded.
 */
export function encodeContent(content: WalletContent): Pieces {
  return new ContentEncoder(content.unknownFields).root(content);
}

type Pieces = Generator<string, void>;

/** JSON values by sorted field name: a string, or pieces for a value that can be large. Undefined fields are omitted. */
type EncodedFields = Readonly<Record<string, string | Pieces | undefined>>;

class ContentEncoder {
  constructor(private readonly unknownFields: WalletContent['unknownFields']) {}

  root(content: WalletContent): Pieces {
    return this.pieces(pathOf.root, {
      subWallets: this.subWallets(content),
      walletFileFormatVersion: String(FORMAT_VERSION),
      walletSynchronizer: this.synchronizer(content),
    });
  }

  private subWallets(content: WalletContent): Pieces {
    return this.pieces(pathOf.subWallets, {
      isViewWallet: String(content.isViewWallet),
      lockedTransactions: list(content.unconfirmed, (transaction) => this.transaction(transaction)),
      privateViewKey: quoted(content.privateViewKey),
      publicSpendKeys: list(content.subWallets, ({ publicSpendKey }) => quoted(publicSpendKey)),
      subWallet: list(content.subWallets, (subWallet) => this.subWallet(subWallet)),
      subWalletIndexCounter: String(content.subWalletIndexCounter),
      transactions: list(content.transactions, (transaction) => this.transaction(transaction)),
      txPrivateKeys: list(content.transactionKeys, (key) => this.transactionKey(key)),
    });
  }

  /** `retiredKeys` lists the keys of outputs that were removed from `spentInputs`. The C++ wallets have no such field. */
  private subWallet(subWallet: SubWallet): Pieces {
    const { publicSpendKey, retiredKeys } = subWallet;
    const inputs = (outputs: readonly WalletOutput[]): Pieces => list(outputs, (output) => this.output(output));
    return this.pieces(pathOf.subWallet(publicSpendKey), {
      address: stringifyJson(subWallet.address),
      isPrimaryAddress: String(subWallet.isPrimary),
      lockedInputs: inputs(subWallet.locked),
      privateSpendKey: quoted(subWallet.privateSpendKey ?? NO_KEY),
      publicSpendKey: quoted(publicSpendKey),
      retiredKeys: retiredKeys && list(retiredKeys, quoted),
      spentInputs: inputs(subWallet.spent),
      syncStartHeight: String(subWallet.syncStartHeight),
      syncStartTimestamp: String(subWallet.syncStartTimestamp),
      unconfirmedIncomingAmounts: list(subWallet.unconfirmedIncoming, (amount) => this.unconfirmedAmount(amount)),
      unspentInputs: inputs(subWallet.unspent),
      walletIndex: String(subWallet.walletIndex),
    });
  }

  private synchronizer(content: WalletContent): Pieces {
    return this.pieces(pathOf.synchronizer, {
      privateViewKey: quoted(content.privateViewKey),
      startHeight: String(content.startHeight),
      startTimestamp: String(content.startTimestamp),
      transactionSynchronizerStatus: this.synchronizerStatus(content),
    });
  }

  private synchronizerStatus({ progress }: WalletContent): Pieces {
    return this.pieces(pathOf.synchronizerStatus, {
      blockHashCheckpoints: list(withoutRepeats(progress.checkpointHashes), quoted),
      lastKnownBlockHashes: list(withoutRepeats(progress.recentHashes), quoted),
      lastKnownBlockHeight: String(progress.height),
    });
  }

  private transactionKey({ transactionHash, secretKey }: TransactionKey): string {
    return this.text(pathOf.transactionKey(transactionHash), {
      transactionHash: quoted(transactionHash),
      txPrivateKey: quoted(secretKey),
    });
  }

  /** `spendingTransactionHash` is an added field: the C++ wallets do not store which send locks an output. */
  private output(output: WalletOutput): string {
    const { parentTransactionHash, outputIndex, privateEphemeral, spendingTransactionHash } = output;
    return this.text(pathOf.output(parentTransactionHash, outputIndex), {
      amount: String(output.amount),
      blockHeight: String(output.blockHeight),
      globalOutputIndex: String(output.globalIndex ?? 0),
      key: quoted(output.key),
      keyImage: quoted(output.keyImage ?? NO_KEY),
      parentTransactionHash: quoted(parentTransactionHash),
      privateEphemeral: privateEphemeral && quoted(privateEphemeral),
      spendHeight: String(output.spendHeight),
      spendingTransactionHash: spendingTransactionHash && quoted(spendingTransactionHash),
      transactionIndex: String(outputIndex),
      transactionPublicKey: quoted(output.transactionPublicKey),
      unlockTime: String(output.unlockTime),
      verified: output.verified === false ? 'false' : undefined,
    });
  }

  private unconfirmedAmount({ amount, key, parentTransactionHash }: UnconfirmedAmount): string {
    return this.text(pathOf.unconfirmedAmount(key), {
      amount: String(amount),
      key: quoted(key),
      parentTransactionHash: quoted(parentTransactionHash),
    });
  }

  private transaction(transaction: WalletTransaction): string {
    const { hash } = transaction;
    const transfers = transaction.transfers.map(({ publicSpendKey, amount }) =>
      this.text(pathOf.transfer(hash, publicSpendKey), { amount: String(amount), publicKey: quoted(publicSpendKey) }),
    );
    return this.text(pathOf.transaction(hash), {
      blockHeight: String(transaction.blockHeight),
      fee: String(transaction.fee),
      hash: quoted(hash),
      isCoinbaseTransaction: String(transaction.isCoinbase),
      paymentID: JSON.stringify(transaction.paymentId),
      timestamp: String(transaction.timestamp),
      transfers: `[${transfers.join(',')}]`,
      unlockTime: String(transaction.unlockTime),
      unverifiedBlock: transaction.unverifiedBlock && quoted(transaction.unverifiedBlock),
    });
  }

  /** Encodes an object that can be large. */
  private *pieces(path: string, known: EncodedFields): Pieces {
    let separator = '{';
    for (const [name, value] of this.fields(path, known)) {
      if (value === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      if (typeof value === 'string') yield value;
      else yield* value;
      separator = ',';
    }
    yield '}';
  }

  /** Encodes a small object as one string. */
  private text(path: string, known: Readonly<Record<string, string | undefined>>): string {
    let text = '';
    for (const [name, value] of this.fields(path, known)) {
      if (value !== undefined) text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${value}`;
    }
    return `${text}}`;
  }

  /** The known and the unknown fields of an object, sorted by name. */
  private fields<Value>(path: string, known: Readonly<Record<string, Value>>): (readonly [string, Value | string])[] {
    const unknown = this.unknownFields.size === 0 ? undefined : this.unknownFields.get(path);
    if (unknown === undefined) return Object.entries(known);
    const others = Object.entries(unknown).filter(([name]) => !Object.hasOwn(known, name));
    const encoded = others.map(([name, value]): readonly [string, string] => [name, stringifyJson(value)]);
    return [...Object.entries(known), ...encoded].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

const quoted = (text: string): string => `"${text}"`;

/** Drops a hash that is equal to the previous one. */
function withoutRepeats(hashes: readonly string[]): readonly string[] {
  return hashes.filter((hash, i) => hash !== hashes[i - 1]);
}

function* list<T>(items: readonly T[], encode: (item: T) => string | Pieces): Pieces {
  let separator = '[';
  for (const item of items) {
    const encoded = encode(item);
    if (typeof encoded === 'string') yield separator + encoded;
    else {
      yield separator;
      yield* encoded;
    }
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
