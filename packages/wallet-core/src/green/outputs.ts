import { DecodeError, LONG_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import {
  deriveSecretKey,
  encryptPaymentId,
  generateKeyDerivation,
  generateKeyImage,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import type { WalletOutput } from '../ledger/model';
import type { GreenOutput } from './cache-model';
import type { GreenKeys } from './keys';

/** Makes our outputs of the cached ones. */
export class OutputConverter {
  private readonly viewSecret: Buffer;
  private readonly spendSecrets: ReadonlyMap<string, Buffer | undefined>;

  constructor({ viewSecret, spendKeys }: GreenKeys) {
    this.viewSecret = viewSecret;
    this.spendSecrets = new Map(spendKeys.map(({ publicKey, secretKey }) => [publicKey.toString('hex'), secretKey]));
  }

  /** With a key image that is worked out anew. @throws DecodeError when the output is not the wallet's */
  unspent(output: GreenOutput): WalletOutput {
    const spendSecret = this.spendSecrets.get(output.owner);
    if (spendSecret === undefined) return outputOf(output, undefined, undefined);
    const secret = deriveSecretKey(this.derivation(output), output.outputIndex, spendSecret);
    const key = secretKeyToPublicKey(secret);
    if (key.toString('hex') !== output.key) throw new DecodeError('an output is not of this wallet');
    return outputOf(output, generateKeyImage(key, secret).toString('hex'), secret.toString('hex'));
  }

  /** With the key image of the cache: nothing looks for it any more. */
  spent(output: GreenOutput, spendHeight: number, spendingTransactionHash: string): WalletOutput {
    const isView = this.spendSecrets.get(output.owner) === undefined;
    return {
      ...outputOf(output, isView ? undefined : output.keyImage, undefined),
      spendHeight,
      spendingTransactionHash,
    };
  }

  /** A short id can be read by who received an output with it. */
  paymentId(stored: string, received: GreenOutput | undefined): string {
    if (stored === '' || stored.length === LONG_PAYMENT_ID_LENGTH) return stored;
    if (received === undefined) return '';
    return encryptPaymentId(Buffer.from(stored, 'hex'), this.derivation(received)).toString('hex');
  }

  private derivation({ transactionPublicKey }: GreenOutput): Buffer {
    const derivation = generateKeyDerivation(Buffer.from(transactionPublicKey, 'hex'), this.viewSecret);
    if (derivation === null) throw new DecodeError('the public key of a transaction is no point');
    return derivation;
  }
}

function outputOf(
  output: GreenOutput,
  keyImage: string | undefined,
  privateEphemeral: string | undefined,
): WalletOutput {
  return {
    keyImage,
    amount: output.amount,
    blockHeight: output.blockHeight ?? 0,
    transactionPublicKey: output.transactionPublicKey,
    outputIndex: output.outputIndex,
    globalIndex: output.globalIndex,
    key: output.key,
    spendHeight: 0,
    unlockTime: output.unlockTime,
    parentTransactionHash: output.transactionHash,
    privateEphemeral,
    spendingTransactionHash: undefined,
  };
}
