import { COINBASE_UNLOCK_WINDOW, networkOf, parseBlock, parseExtra, parseTransaction, toHex } from '@wrkz/core-types';
import { derivePublicKey, deriveSecretKey, generateKeyDerivation, generateKeyImage } from '@wrkz/crypto';
import {
  nodeRefusal,
  type SendContext,
  type SendNode,
  type SignedSend,
  submitSend,
  type SubWallet,
  type WalletOutput,
} from '@wrkz/wallet-core';
import { chainA, readJson } from '../../src';

/** Decoys of the current ring size. */
const MAX_DECOYS = 7;

/** A wallet of chain A with its spendable outputs at a height, read from the blocks without a node. */
export class ChainWallet {
  private readonly held = new Set<string>();
  private subWallets: readonly SubWallet[];
  private readonly privateViewKey: string;

  /** @param height index of the last block to read */
  constructor(name: string, height: number) {
    const { wallets } = readJson<{ wallets: Record<string, { keys: RecordedKeys }> }>('devnet/chain-a-expected.json');
    const { privateViewKey, addresses } = wallets[name]!.keys;
    this.privateViewKey = privateViewKey;
    const unspent = unspentOf({ privateViewKey, addresses }, height);
    this.subWallets = addresses.map(({ address, publicSpendKey, privateSpendKey }, i) => ({
      walletIndex: i,
      publicSpendKey,
      privateSpendKey,
      address,
      isPrimary: i === 0,
      syncStartTimestamp: 0,
      syncStartHeight: 0,
      unspent: unspent.get(publicSpendKey) ?? [],
      locked: [],
      spent: [],
      unconfirmedIncoming: [],
    }));
  }

  get address(): string {
    return this.subWallets[0]!.address;
  }

  get addresses(): string[] {
    return this.subWallets.map(({ address }) => address);
  }

  /** The wallet with the highest balance at block `height`. */
  static richest(height: number): ChainWallet {
    const names = ['alice', 'bob', 'carol', 'dave', 'xavier', 'yolanda'];
    // Rings of early heights may have no decoys.
    const isYoung = networkOf('devnet').rulesAt(height + 1).mixin.min === 0;
    const wallets = names
      .map((name) => new ChainWallet(name, height))
      .map((wallet) => (isYoung ? wallet : wallet.withoutRareAmounts(height)));
    return wallets.reduce((a, b) => (b.unlocked(height) > a.unlocked(height) ? b : a));
  }

  /** Omits outputs whose amount has too few decoys that are deep enough for a node to return them. */
  withoutRareAmounts(height: number): this {
    const counts = new Map<bigint, number>();
    for (const raw of chainA().slice(0, height + 1 - COINBASE_UNLOCK_WINDOW)) {
      for (const { amount } of parseBlock(raw.block).coinbase.transaction.outputs) {
        counts.set(amount, (counts.get(amount) ?? 0) + 1);
      }
    }
    this.subWallets = this.subWallets.map((own) => ({
      ...own,
      unspent: own.unspent.filter(({ amount }) => (counts.get(amount) ?? 0) > MAX_DECOYS),
    }));
    return this;
  }

  private unlocked(height: number): bigint {
    return this.subWallets
      .flatMap(({ unspent }) => unspent)
      .filter(({ unlockTime }) => unlockTime <= BigInt(height))
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  view(height: number): SendContext {
    return {
      network: networkOf('devnet'),
      localHeight: height,
      networkHeight: height,
      appliedHeight: height,
      contested: [],
      ringOf: () => undefined,
      privateViewKey: this.privateViewKey,
      isViewWallet: false,
      subWallets: this.subWallets,
    };
  }

  /** Records and submits a transaction. @throws WalletError daemonError when the node refuses it */
  async send(signed: SignedSend, node: SendNode): Promise<void> {
    const taken = new Set(signed.pending.inputs.map(({ output }) => output.key));
    this.subWallets = this.subWallets.map((own) => ({
      ...own,
      unspent: own.unspent.filter(({ key }) => !taken.has(key)),
    }));
    this.held.add(signed.hash);
    const outcome = await submitSend(signed, node);
    if (outcome.kind !== 'refused') return;
    this.held.delete(signed.hash);
    throw nodeRefusal(outcome.reason);
  }

  holds(hash: string): boolean {
    return this.held.has(hash);
  }
}

interface RecordedKeys {
  readonly privateViewKey: string;
  readonly addresses: readonly { address: string; publicSpendKey: string; privateSpendKey: string }[];
}

/** Unspent outputs by public spend key. */
function unspentOf({ privateViewKey, addresses }: RecordedKeys, height: number): Map<string, WalletOutput[]> {
  const viewSecret = Buffer.from(privateViewKey, 'hex');
  const counts = new Map<bigint, number>();
  const spent = new Set<string>();
  const owned: [string, WalletOutput][] = [];
  chainA()
    .slice(0, height + 1)
    .forEach((raw, blockHeight) => {
      const all = [parseBlock(raw.block).coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
      for (const { transaction, hash } of all) {
        for (const input of transaction.inputs) if (input.type === 'key') spent.add(toHex(input.keyImage));
        const { publicKey } = parseExtra(transaction.extra);
        const derivation = publicKey && generateKeyDerivation(publicKey, viewSecret);
        transaction.outputs.forEach(({ amount, key }, outputIndex) => {
          const globalIndex = counts.get(amount) ?? 0;
          counts.set(amount, globalIndex + 1);
          if (!publicKey || !derivation) return;
          for (const { publicSpendKey, privateSpendKey } of addresses) {
            if (!derivePublicKey(derivation, outputIndex, Buffer.from(publicSpendKey, 'hex'))?.equals(key)) continue;
            const secret = deriveSecretKey(derivation, outputIndex, Buffer.from(privateSpendKey, 'hex'));
            owned.push([
              publicSpendKey,
              {
                keyImage: toHex(generateKeyImage(key, secret)),
                amount,
                blockHeight,
                transactionPublicKey: toHex(publicKey),
                outputIndex,
                globalIndex,
                key: toHex(key),
                spendHeight: 0,
                unlockTime: transaction.unlockTime,
                parentTransactionHash: toHex(hash),
                privateEphemeral: undefined,
                spendingTransactionHash: undefined,
              },
            ]);
          }
        });
      }
    });
  const unspent = new Map<string, WalletOutput[]>();
  for (const [publicSpendKey, output] of owned) {
    if (spent.has(output.keyImage ?? '')) continue;
    unspent.set(publicSpendKey, [...(unspent.get(publicSpendKey) ?? []), output]);
  }
  return unspent;
}
