import { fromHex } from '@wrkz/core-types';
import { deriveSecretKey, generateKeyDerivation, generateKeyImage, secretKeyToPublicKey } from '@wrkz/crypto';
import { walletError } from '../errors';
import type { OwnedInput } from './coin-selection';
import { mapYielding } from './yielding';

/** What it takes to spend an output. */
export interface InputKeys {
  /** The one-time secret. */
  readonly secret: Buffer;
  readonly keyImage: Buffer;
}

/**
 * The secrets of inputs, made anew from the wallet's keys and compared with what it holds: a container that is damaged
 * here must not sign.
 * @throws WalletError 20
 */
export function keysOfInputs(inputs: readonly OwnedInput[], privateViewKey: string): Promise<InputKeys[]> {
  return mapYielding(inputs, (input) => {
    const keys = derive(input, privateViewKey);
    if (keys === undefined) throw walletError.failedToCreateRingSignature();
    return keys;
  });
}

function derive({ output, owner }: OwnedInput, privateViewKey: string): InputKeys | undefined {
  const [transactionKey, viewSecret, spendSecret, key] = [
    output.transactionPublicKey,
    privateViewKey,
    owner.privateSpendKey ?? '',
    output.key,
  ].map((hex) => fromHex(hex, 32));
  if (!transactionKey || !viewSecret || !spendSecret || !key) return undefined;
  try {
    const derivation = generateKeyDerivation(transactionKey, viewSecret);
    if (derivation === null) return undefined;
    const secret = deriveSecretKey(derivation, output.outputIndex, spendSecret);
    if (!secretKeyToPublicKey(secret).equals(key)) return undefined;
    const keyImage = generateKeyImage(key, secret);
    if (output.keyImage !== undefined && output.keyImage !== keyImage.toString('hex')) return undefined;
    return { secret, keyImage };
  } catch (error) {
    if (error instanceof RangeError) return undefined; // a secret beyond the group order
    throw error;
  }
}
