import { walletError, walletErrorOf } from '../errors';
import type {
  MinedOutput,
  SubWallet,
  SyncProgress,
  TransactionKey,
  Transfer,
  UnconfirmedAmount,
  WalletContent,
  WalletOutput,
  WalletTransaction,
} from '../ledger/model';
import * as fields from './fields';
import { readContainerJson } from './json-reader';

const { converted, count, flag, key, keyList, listField, objectField, optionalField, signed64, text, unsigned64 } =
  fields;

const FORMAT_VERSION = 0n;
/** Encoding of an absent key, key image or secret. */
const NO_KEY = '0'.repeat(64);

const unchanged = <T>(value: T): T => value;

/** @throws WalletError unsupportedWalletFileFormatVersion */
function requireFormatVersion(version: bigint): bigint {
  if (version !== FORMAT_VERSION) throw walletError.unsupportedWalletFileFormatVersion();
  return version;
}

const formatVersion = converted(unsigned64, requireFormatVersion, unchanged);
const isViewWallet = converted(flag, (value, context) => (context.isViewWallet = value), unchanged);
const zeroByDefault = converted(optionalField(count), (value = 0) => value, unchanged<number | undefined>);
/** 0 also means "unknown", so the index is requested from the node. No transaction can contain an index above 32 bits. */
const globalIndex = converted(
  count,
  (index) => (index > 0xffff_ffff ? undefined : index || undefined),
  (index) => index ?? 0,
);
const verified = converted(
  optionalField(flag),
  (value) => (value === false ? value : undefined),
  unchanged<false | undefined>,
);
const keyOrZeros = converted(
  key,
  (value) => (value === NO_KEY ? undefined : value),
  (value) => value ?? NO_KEY,
);

/** A view wallet has none: the C++ wallets of 2025 wrote uninitialised memory into such fields. */
function secret(field: fields.ScalarField<string | undefined>) {
  return converted(field, (value, context) => (context.isViewWallet ? undefined : value), unchanged);
}

const outputPath = ({ parentTransactionHash, outputIndex }: MinedOutput): string =>
  `output ${parentTransactionHash} ${outputIndex}`;
const outputFields: Parameters<typeof objectField<MinedOutput>>[1] = {
  keyImage: ['keyImage', secret(keyOrZeros)],
  amount: ['amount', unsigned64],
  blockHeight: ['blockHeight', count],
  transactionPublicKey: ['transactionPublicKey', key],
  outputIndex: ['transactionIndex', count],
  globalIndex: ['globalOutputIndex', globalIndex],
  key: ['key', key],
  spendHeight: ['spendHeight', count],
  unlockTime: ['unlockTime', unsigned64],
  parentTransactionHash: ['parentTransactionHash', key],
  privateEphemeral: ['privateEphemeral', secret(optionalField(key))],
  // Not in the C++ wallets, which do not store the send that locks an output.
  spendingTransactionHash: ['spendingTransactionHash', optionalField(key)],
  verified: ['verified', verified],
};

const output = objectField<WalletOutput>(outputPath, {
  ...outputFields,
  // Not in the C++ wallets, which count each output.
  replaced: ['replacedInputs', optionalField(listField(objectField(outputPath, outputFields)))],
});

const unconfirmedAmount = objectField<UnconfirmedAmount>((amount) => `unconfirmedAmount ${amount.key}`, {
  amount: ['amount', unsigned64],
  key: ['key', key],
  parentTransactionHash: ['parentTransactionHash', key],
});

const transfer = objectField<Transfer, WalletTransaction>(
  ({ publicSpendKey }, { hash }) => `transfer ${hash} ${publicSpendKey}`,
  { publicSpendKey: ['publicKey', key], amount: ['amount', signed64] },
);

const transaction = objectField<WalletTransaction>(({ hash }) => `transaction ${hash}`, {
  // Before the transfers, whose paths have the hash.
  hash: ['hash', key],
  transfers: ['transfers', listField(transfer)],
  fee: ['fee', unsigned64],
  blockHeight: ['blockHeight', count],
  timestamp: ['timestamp', count],
  // Not checked: C++ wallets of 2025 also store payment ids that are not hex.
  paymentId: ['paymentID', text],
  unlockTime: ['unlockTime', unsigned64],
  isCoinbase: ['isCoinbaseTransaction', flag],
  unverifiedBlock: ['unverifiedBlock', optionalField(key)],
});

const subWallet = objectField<SubWallet>(({ publicSpendKey }) => `subWallet ${publicSpendKey}`, {
  walletIndex: ['walletIndex', zeroByDefault],
  publicSpendKey: ['publicSpendKey', key],
  privateSpendKey: ['privateSpendKey', secret(keyOrZeros)],
  address: ['address', text],
  isPrimary: ['isPrimaryAddress', flag],
  syncStartTimestamp: ['syncStartTimestamp', count],
  syncStartHeight: ['syncStartHeight', count],
  unspent: ['unspentInputs', listField(output)],
  locked: ['lockedInputs', listField(output)],
  spent: ['spentInputs', listField(output)],
  unconfirmedIncoming: ['unconfirmedIncomingAmounts', listField(unconfirmedAmount)],
  // Not in the C++ wallets: the keys of outputs that were removed from `spentInputs`.
  retiredKeys: ['retiredKeys', optionalField(keyList)],
});

const transactionKey = objectField<TransactionKey>(({ transactionHash }) => `transactionKey ${transactionHash}`, {
  transactionHash: ['transactionHash', key],
  secretKey: ['txPrivateKey', key],
});

type SubWalletsPart = Pick<WalletContent, 'isViewWallet' | 'privateViewKey' | 'subWallets' | 'subWalletIndexCounter'> &
  Pick<WalletContent, 'transactions' | 'unconfirmed' | 'transactionKeys'> & {
    /** In the order of creation; `subWallets` has the order of a hash map in files of the C++ wallets. */
    readonly publicSpendKeys: readonly string[];
  };

const subWalletsPart = objectField<SubWalletsPart>(() => 'subWallets', {
  // Before the sub-wallets, whose secrets depend on it.
  isViewWallet: ['isViewWallet', isViewWallet],
  privateViewKey: ['privateViewKey', key],
  subWallets: ['subWallet', listField(subWallet)],
  publicSpendKeys: ['publicSpendKeys', keyList],
  subWalletIndexCounter: ['subWalletIndexCounter', zeroByDefault],
  transactions: ['transactions', listField(transaction)],
  unconfirmed: ['lockedTransactions', listField(transaction)],
  transactionKeys: ['txPrivateKeys', listField(transactionKey)],
});

const progress = objectField<SyncProgress>(() => 'walletSynchronizer.transactionSynchronizerStatus', {
  height: ['lastKnownBlockHeight', count],
  recentHashes: ['lastKnownBlockHashes', keyList],
  checkpointHashes: ['blockHashCheckpoints', keyList],
});

type SynchronizerPart = Pick<WalletContent, 'privateViewKey' | 'progress' | 'startTimestamp' | 'startHeight'>;

const synchronizerPart = objectField<SynchronizerPart>(() => 'walletSynchronizer', {
  // A copy of the view key in `subWallets`: only its format is checked.
  privateViewKey: ['privateViewKey', key],
  progress: ['transactionSynchronizerStatus', progress],
  startTimestamp: ['startTimestamp', count],
  startHeight: ['startHeight', count],
});

interface ContainerJson {
  readonly formatVersion: bigint;
  readonly subWalletsPart: SubWalletsPart;
  readonly synchronizerPart: SynchronizerPart;
}

const document = objectField<ContainerJson>(() => '', {
  formatVersion: ['walletFileFormatVersion', formatVersion],
  subWalletsPart: ['subWallets', subWalletsPart],
  synchronizerPart: ['walletSynchronizer', synchronizerPart],
});

/**
 * Decodes the JSON of a container or of an export. `runInSlices` runs the generator.
 * @throws WalletError unsupportedWalletFileFormatVersion, which is checked first; walletFileCorrupted when the bytes are not JSON
 * or a field is missing or of a wrong type
 */
export function* decodeContent(bytes: Buffer): Generator<void, WalletContent> {
  const context: fields.DecodeContext = { unknownFields: new Map(), isViewWallet: false };
  try {
    const json = yield* readContainerJson(bytes);
    const { subWalletsPart, synchronizerPart } = yield* document.decode(json, context, undefined);
    const { publicSpendKeys, subWallets, ...others } = subWalletsPart;
    const { unknownFields } = context;
    return { ...synchronizerPart, ...others, subWallets: inOrder(subWallets, publicSpendKeys), unknownFields };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof fields.FieldError)) throw error;
    throw walletErrorOf('walletFileCorrupted', undefined, { cause: error });
  }
}

/** The sub-wallets in the order of `publicSpendKeys`. Of two with one key the first counts, as in the C++ wallets. */
function inOrder(subWallets: readonly SubWallet[], publicSpendKeys: readonly string[]): SubWallet[] {
  const found = new Map<string, SubWallet>();
  for (const subWallet of subWallets)
    if (!found.has(subWallet.publicSpendKey)) found.set(subWallet.publicSpendKey, subWallet);
  const order = new Map(publicSpendKeys.map((publicSpendKey, index) => [publicSpendKey, index]));
  const indexOf = ({ publicSpendKey }: SubWallet): number => order.get(publicSpendKey) ?? order.size;
  return [...found.values()].sort((a, b) => indexOf(a) - indexOf(b));
}

/**
 * Encodes the JSON of a container in pieces: no white space, fields sorted by name, as in the C++ wallets of 2026. The
 * content must not change until the last piece is encoded.
 */
export function encodeContent(content: WalletContent): fields.Pieces {
  const publicSpendKeys = content.subWallets.map(({ publicSpendKey }) => publicSpendKey);
  const parts = { subWalletsPart: { ...content, publicSpendKeys }, synchronizerPart: content };
  return document.encode({ formatVersion: FORMAT_VERSION, ...parts }, content.unknownFields, undefined);
}
