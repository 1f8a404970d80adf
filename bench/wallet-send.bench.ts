/**
 * Time of a send of a wallet with many outputs: coin selection, rings, signatures and the self-check, without proof of work,
 * network and disk.
 *
 *   node -r ./scripts/source-loader.cjs bench/wallet-send.bench.ts [--outputs 10000] [--inputs 1,10,50] [--rounds 15]
 *
 * The node is an object that returns its decoys immediately. Medians of the rounds: wall clock, processor time, and the fee
 * estimate, which signs nothing.
 */
import { parseArgs } from 'node:util';
import { encodeAddress, type Network, networkOf, toHex } from '@wrkz/core-types';
import {
  cnFastHash,
  derivePublicKey,
  deriveSecretKey,
  generateKeyDerivation,
  generateKeyImage,
  generateKeyPair,
  scalarReduce32,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import {
  buildSend,
  createdWallet,
  estimateSend,
  type SendPorts,
  type SendContext,
  type WalletOutput,
} from '@wrkz/wallet-core';
import { median, milliseconds, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    outputs: { type: 'string', default: '10000' },
    inputs: { type: 'string', default: '1,10,50' },
    rounds: { type: 'string', default: '15' },
  },
});

const HEIGHT = 720;
const NOW = 1_800_000_000;
/** The amount of each output: a send of n times this amount takes n + 1 inputs, one for the fee. */
const WORTH = 1_000_000n;

const devnet = networkOf('devnet');
const network: Network = { ...devnet, rulesAt: (height) => ({ ...devnet.rulesAt(height), txPow: undefined }) };

const secretOf = (word: string): Buffer => scalarReduce32(cnFastHash(Buffer.from(word)));
const strangers = Array.from({ length: 64 }, (_, i) => toHex(secretKeyToPublicKey(secretOf(`stranger ${i}`))));

/** A wallet with this number of outputs. */
function walletWith(count: number): SendContext {
  const { privateViewKey, subWallets } = createdWallet({ height: 0, timestamp: 0 });
  const [subWallet] = subWallets;
  if (subWallet?.privateSpendKey === undefined) throw new Error('a new wallet has a spend key');
  const spendSecret = Buffer.from(subWallet.privateSpendKey, 'hex');
  const spendPublic = Buffer.from(subWallet.publicSpendKey, 'hex');
  const viewPublic = secretKeyToPublicKey(Buffer.from(privateViewKey, 'hex'));
  const unspent = Array.from({ length: count }, (_, i): WalletOutput => {
    const transactionSecret = secretOf(`transaction ${i}`);
    const derivation = generateKeyDerivation(viewPublic, transactionSecret);
    const key = derivation && derivePublicKey(derivation, 0, spendPublic);
    if (!derivation || !key) throw new Error('these keys are points');
    return {
      keyImage: toHex(generateKeyImage(key, deriveSecretKey(derivation, 0, spendSecret))),
      amount: WORTH,
      blockHeight: 1,
      transactionPublicKey: toHex(secretKeyToPublicKey(transactionSecret)),
      outputIndex: 0,
      globalIndex: 1_000 + i,
      key: toHex(key),
      spendHeight: 0,
      unlockTime: 0n,
      parentTransactionHash: toHex(cnFastHash(transactionSecret)),
      privateEphemeral: undefined,
      spendingTransactionHash: undefined,
    };
  });
  return {
    network,
    localHeight: HEIGHT,
    networkHeight: HEIGHT,
    appliedHeight: HEIGHT,
    contested: [],
    ringOf: () => undefined,
    privateViewKey,
    isViewWallet: false,
    subWallets: [{ ...subWallet, unspent }],
  };
}

const ports: SendPorts = {
  node: {
    randomOuts: async (amounts, count) => ({
      kind: 'outs',
      sets: amounts.map((amount) => ({
        amount,
        outputs: Array.from({ length: count }, (_, i) => ({ globalIndex: 7 * i, key: strangers[i % 64] ?? '' })),
      })),
    }),
    submit: async () => ({ kind: 'unavailable' }),
    transactionStatus: async () => 'unavailable',
    reportFaulty: async () => false,
  },
  pow: { findNonce: () => Promise.reject(new Error('no work is done here')) },
  transactionKeys: generateKeyPair,
  now: () => NOW,
};

async function main(): Promise<void> {
  console.log(machine());
  const view = walletWith(Number(values.outputs));
  const receiver = generateKeyPair().publicKey;
  const destination = encodeAddress({ spendPublic: receiver, viewPublic: generateKeyPair().publicKey });
  console.log(`a wallet of ${values.outputs} outputs`);
  console.log(row('', ['median', 'processor', 'estimate']));
  for (const inputs of values.inputs.split(',').map(Number)) {
    const request = { destinations: [{ address: destination, amount: BigInt(inputs) * WORTH - WORTH / 2n }] };
    const took: number[] = [];
    const processor: number[] = [];
    const estimated: number[] = [];
    let what = '';
    // The first round warms up.
    for (let round = 0; round <= Number(values.rounds); round++) {
      const used = process.cpuUsage();
      const start = performance.now();
      const { mixin, pending, bytes } = await buildSend(request, view, ports);
      const time = since(start);
      const { user, system } = process.cpuUsage(used);
      const before = performance.now();
      await estimateSend(request, view, ports);
      if (round === 0) continue;
      took.push(time);
      processor.push((user + system) / 1_000);
      estimated.push(since(before));
      what = `${pending.inputs.length} inputs, ${mixin} decoys each, ${bytes.length} bytes`;
    }
    console.log(
      row(
        what,
        [took, processor, estimated].map((list) => milliseconds(median(list))),
      ),
    );
  }
}

runBench(main);
