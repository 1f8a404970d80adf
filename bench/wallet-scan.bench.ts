/**
 * Blocks and outputs per second that a wallet parses and scans: chain A, repeatedly, in the responses of a node.
 *
 *   node -r ./scripts/source-loader.cjs bench/wallet-scan.bench.ts [--blocks 10000] [--rounds 5] [--sub-wallets 1]
 *
 * A node of ours with chain A creates the responses once. Timed is the parsing of their JSON and the scan with key images.
 * Medians of the rounds, and the longest time that the main thread was blocked.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { readBinaryResponse, readSyncResponse, type SyncBlock } from '@wrkz/client';
import { generateKeyPair } from '@wrkz/crypto';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { chainAWallet, Suite } from '@wrkz/testing';
import { type LedgerKeys, scannedBatches } from '@wrkz/wallet-core';
import { median, row, runBench } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    'sub-wallets': { type: 'string', default: '1' },
  },
});

/** All of chain A in responses of up to 1,000 blocks. */
async function responsesOfChainA(): Promise<Buffer[]> {
  const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
  try {
    const node = await suite.node({ from: await suite.chainA() });
    const bodies: Buffer[] = [];
    for (let start = 0; start <= node.height;) {
      const body = JSON.stringify({ startHeight: start, blockCount: 1_000 });
      const headers = { Accept: 'application/octet-stream' };
      const response = await fetch(`${node.url}/getwalletsyncdata`, { method: 'POST', body, headers });
      const responseBody = Buffer.from(await response.arrayBuffer());
      bodies.push(responseBody);
      start = (readBinaryResponse(responseBody)?.blocks.at(-1)?.height ?? start) + 1;
    }
    return bodies;
  } finally {
    await suite.stopAll();
  }
}

function keys(count: number): LedgerKeys {
  const alice = chainAWallet('alice');
  const own = {
    publicSpendKey: alice.spendPublic.toString('hex'),
    privateSpendKey: alice.spendSecret.toString('hex'),
  };
  const others = Array.from({ length: count - 1 }, () => {
    const { publicKey, secretKey } = generateKeyPair();
    return { publicSpendKey: publicKey.toString('hex'), privateSpendKey: secretKey.toString('hex') };
  });
  return { privateViewKey: alice.viewSecret.toString('hex'), spendKeys: [own, ...others] };
}

function outputsOf({ coinbase, transactions }: SyncBlock): number {
  return transactions.reduce((sum, { outputs }) => sum + outputs.length, coinbase?.outputs.length ?? 0);
}

async function main(): Promise<void> {
  const responses = await responsesOfChainA();
  const wallet = keys(Number(values['sub-wallets']));
  const rounds: { reading: number; scanning: number; blocks: number; outputs: number; found: number }[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  for (let round = -1; round < Number(values.rounds); round++) {
    const sum = { reading: 0, scanning: 0, blocks: 0, outputs: 0, found: 0 };
    while (sum.blocks < Number(values.blocks)) {
      for (const response of responses) {
        const start = performance.now();
        const { blocks } = readBinaryResponse(response) ?? readSyncResponse(response);
        const read = performance.now();
        delay.enable();
        for await (const batch of scannedBatches(blocks, wallet)) {
          for (const scanned of batch) if ('found' in scanned) sum.found += scanned.found.length;
        }
        delay.disable();
        sum.reading += read - start;
        sum.scanning += performance.now() - read;
        sum.blocks += blocks.length;
        sum.outputs += blocks.reduce((all, block) => all + outputsOf(block), 0);
      }
    }
    // The first round warms up.
    if (round >= 0) rounds.push(sum);
  }
  const rate = (count: 'blocks' | 'outputs', time: 'reading' | 'scanning'): number =>
    Math.round(median(rounds.map((one) => (one[count] / one[time]) * 1_000)));
  console.log(machine());
  console.log(`\n${row('a second', ['blocks', 'outputs'])}`);
  console.log(row('parsing responses', [rate('blocks', 'reading'), rate('outputs', 'reading')]));
  console.log(row('scanning', [rate('blocks', 'scanning'), rate('outputs', 'scanning')]));
  console.log(row('own outputs a round', [rounds[0]?.found ?? 0, '']));
  console.log(row('main thread held, ms', [(delay.max / 1e6).toFixed(1), '']));
}

runBench(main);
