import { parseBlock, parseExtraWallet, type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import {
  deriveSecretKey,
  encryptPaymentId,
  generateKeyDerivation,
  generateKeyImagesAsync,
  scanOutputsAsync,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import { chainA } from '@wrkz/testing';
import type { SyncTransaction, SyncBlock } from '@wrkz/client';
import type { OwnOutputFound } from '../../../src/ledger/model';

/** A block of chain A as a node returns it, with the global index of each output. */
export interface IndexedBlock {
  readonly block: SyncBlock;
  readonly globalIndexes: ReadonlyMap<string, readonly number[]>;
}

export interface ScannedChainBlock extends IndexedBlock {
  readonly found: readonly OwnOutputFound[];
  readonly decrypted: ReadonlyMap<string, string>;
}

export interface ScanningKeys {
  readonly viewSecret: Buffer;
  /** Spend secrets; undefined in a view wallet. */
  readonly spendKeys: readonly { readonly publicKey: Buffer; readonly secretKey: Buffer | undefined }[];
}

export function spendKeysOf(secrets: readonly string[]): ScanningKeys['spendKeys'] {
  return secrets.map((text) => {
    const secretKey = Buffer.from(text, 'hex');
    return { secretKey, publicKey: secretKeyToPublicKey(secretKey) };
  });
}

let reported: readonly IndexedBlock[] | undefined;

/** Chain A as blocks to apply, genesis first. */
export function indexedChainA(): readonly IndexedBlock[] {
  const next = new Map<bigint, number>();
  return (reported ??= chainA().map((raw, height) => {
    const { block, coinbase, hash } = parseBlock(raw.block);
    const all = [coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
    const globalIndexes = new Map(
      all.map(({ transaction, hash: id }) => [
        id.toString('hex'),
        transaction.outputs.map(({ amount }) => {
          const index = next.get(amount) ?? 0;
          next.set(amount, index + 1);
          return index;
        }),
      ]),
    );
    const [first, ...rest] = all.map(syncTransaction);
    return {
      block: {
        height,
        hash: hash.toString('hex'),
        timestamp: Number(block.timestamp),
        coinbase: first,
        transactions: rest,
      },
      globalIndexes,
    };
  }));
}

function syncTransaction({ transaction, hash }: ParsedTransaction): SyncTransaction {
  const { publicKey, paymentId } = parseExtraWallet(transaction.extra);
  return {
    hash: hash.toString('hex'),
    transactionPublicKey: publicKey.toString('hex'),
    unlockTime: transaction.unlockTime,
    paymentId,
    inputs: transaction.inputs.flatMap((input) =>
      input.type === 'key' ? [{ keyImage: input.keyImage.toString('hex'), amount: input.amount }] : [],
    ),
    outputs: transaction.outputs.map(({ amount, key }) => ({ amount, key: key.toString('hex') })),
  };
}

/** The own outputs in each block of chain A. */
export async function scanChainA({ viewSecret, spendKeys }: ScanningKeys): Promise<ScannedChainBlock[]> {
  const chain = indexedChainA();
  const places = chain.flatMap(({ block }, height) =>
    [block.coinbase, ...block.transactions].flatMap((transaction, number) =>
      transaction === undefined ? [] : [{ height, number, transaction }],
    ),
  );
  const owned = await scanOutputsAsync({
    viewSecret,
    transactionKeys: Buffer.from(places.map(({ transaction }) => transaction.transactionPublicKey).join(''), 'hex'),
    outputCounts: Uint32Array.from(places, ({ transaction }) => transaction.outputs.length),
    outputs: Buffer.from(
      places.flatMap(({ transaction }) => transaction.outputs.map(({ key }) => key)).join(''),
      'hex',
    ),
    spendKeys: Buffer.concat(spendKeys.map(({ publicKey }) => publicKey)),
  });
  const items = owned.flatMap(({ transaction: at, output, spendKey, derivation }) => {
    const place = places[at];
    const owner = spendKeys[spendKey];
    const target = place?.transaction.outputs[output];
    if (place === undefined || owner === undefined || target === undefined) return [];
    const ephemeral = owner.secretKey === undefined ? undefined : deriveSecretKey(derivation, output, owner.secretKey);
    return [{ ...place, output, owner, ephemeral, publicKey: Buffer.from(target.key, 'hex') }];
  });
  const full = items.flatMap(({ publicKey, ephemeral }) =>
    ephemeral === undefined ? [] : [{ publicKey, secretKey: ephemeral }],
  );
  const images = await generateKeyImagesAsync(full);
  const imageOf = new Map(full.map(({ publicKey }, i) => [publicKey.toString('hex'), images[i]?.toString('hex')]));
  const scanned = chain.map((one) => ({
    ...one,
    found: [] as OwnOutputFound[],
    decrypted: new Map<string, string>(),
  }));
  for (const { height, number, output, owner, ephemeral, publicKey, transaction } of items) {
    scanned[height]?.found.push({
      transaction: number,
      output,
      publicSpendKey: owner.publicKey.toString('hex'),
      keyImage: imageOf.get(publicKey.toString('hex')),
      privateEphemeral: ephemeral?.toString('hex'),
      globalIndex: undefined,
    });
    const { paymentId, transactionPublicKey, hash } = transaction;
    const derivation = generateKeyDerivation(Buffer.from(transactionPublicKey, 'hex'), viewSecret);
    if (paymentId.length !== 16 || derivation === null) continue;
    scanned[height]?.decrypted.set(hash, encryptPaymentId(Buffer.from(paymentId, 'hex'), derivation).toString('hex'));
  }
  return scanned;
}
