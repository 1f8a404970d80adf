import { describeAmount } from '@wrkz/core-types';

/* The sentences of the table that name what they speak of. */

const KILOBYTE = 1024;

function kilobytes(bytes: number): string {
  return `${(bytes / KILOBYTE).toFixed(2)} KB`;
}

/** @param reason the system's text */
export const exportFailed = (reason: string): string => `Could not create file at path given. Error: ${reason}`;

export const addressNotInWallet = (address: string): string =>
  `The address given (${address}) does not exist in the wallet container, but it is required to exist for this operation.`;

export const addressWrongLength = (length: number): string =>
  `The address given is the wrong length. It should be 98 chars, 120 chars, or 186 chars, but it is ${length} chars.`;

export const addressIsIntegrated = (address: string): string =>
  `The address given (${address}) is an integrated address, but integrated addresses aren't valid for this parameter.`;

export const mixinTooSmall = (mixin: bigint, least: number): string =>
  `The mixin value given (${mixin}) is lower than the minimum mixin allowed (${least})`;

export const mixinTooBig = (mixin: bigint, most: number): string =>
  `The mixin value given (${mixin}) is greater than the maximum mixin allowed (${most})`;

/** @param found undefined: the node's answer does not name the amount at all */
export function notEnoughFakeOutputs(amount: bigint, requested: number, found: number | undefined): string {
  const some = found === undefined ? 'any matching outputs' : 'enough matching outputs';
  const counts = found === undefined ? '' : ` Requested outputs: ${requested}, found outputs: ${found}.`;
  return `Failed to get ${some} for amount ${amount} (${describeAmount(amount)}).${counts}`;
}

/** @param size bytes of the transaction @param most bytes that are allowed */
export const tooLarge = (size: number, most: number): string =>
  `Transaction is too large: (${kilobytes(size)}). Max allowed size is ${kilobytes(most)}. ` +
  'Decrease the amount you are sending, or perform some fusion transactions.';

/** @param word in lower case */
export const mnemonicInvalidWord = (word: string): string =>
  `The mnemonic seed given has a word that is not present in the english word list (${word}).`;

export const mnemonicWrongLength = (words: number): string =>
  'The mnemonic seed given is the wrong length. It should be 25 words long, ' +
  `but it is ${words} ${words === 1 ? 'word' : 'words'} long.`;

export interface LostByRescan {
  /** Below it the node holds no block data. */
  readonly liteStartHeight: number;
  readonly scanHeight: number;
  /** Transactions of the wallet that lie below. */
  readonly lost: number;
}

export const liteNodeCannotRescan = ({ liteStartHeight, scanHeight, lost }: LostByRescan): string =>
  `The daemon this wallet is connected to holds no block data below height ${liteStartHeight}. ` +
  `Rescanning from ${scanHeight} would start at ${liteStartHeight} instead, losing ${lost} transaction(s) this wallet ` +
  'already holds from below that height. Connect a daemon holding the whole chain, or pass a scanHeight of at least ' +
  `${liteStartHeight}.`;
