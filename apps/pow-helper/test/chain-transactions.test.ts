import { checkHash, powHash } from '@wrkz/crypto';
import { TX_POW_ALGORITHM, transactionPowDifficulty } from '@wrkz/consensus';
import {
  networkOf,
  parseTransaction,
  POW_NONCE_SIZE,
  type NetworkName,
  type ParsedTransaction,
} from '@wrkz/core-types';
import { chainALines, readJson } from '@wrkz/testing/fixtures';
import { post, startHelper, stopAll } from './support/helper';

afterEach(stopAll);

interface Recorded {
  readonly tx: ParsedTransaction;
  /** Index of the block of the transaction. */
  readonly height: number;
}

/** The serialized prefix with a nonce of zeros. */
function blank(tx: ParsedTransaction): Buffer {
  return Buffer.concat([tx.prefixBytes.subarray(0, -POW_NONCE_SIZE), Buffer.alloc(POW_NONCE_SIZE)]);
}

async function solveAndCheck(url: string, network: NetworkName, { tx, height }: Recorded): Promise<void> {
  // A transaction in a block is checked by the rules of the previous index.
  const judgedAt = height - 1;
  const prefix = blank(tx);
  const request = { prefix: prefix.toString('hex'), wait_ms: 30_000, height: judgedAt };
  const { status, body } = await post(`${url}/pow`, request);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'done' });
  const solved = Buffer.concat([prefix.subarray(0, -POW_NONCE_SIZE), Buffer.from(String(body['nonce']), 'hex')]);
  expect(solved.subarray(0, -POW_NONCE_SIZE)).toEqual(tx.prefixBytes.subarray(0, -POW_NONCE_SIZE));
  const difficulty = transactionPowDifficulty(tx.transaction, networkOf(network), judgedAt);
  expect(body['difficulty']).toBe(Number(difficulty));
  expect(checkHash(powHash(TX_POW_ALGORITHM, solved), difficulty)).toBe(true);
}

test('50 transactions of the recorded devnet chain are solved again', async () => {
  const blocks = chainALines();
  const recorded = blocks
    .filter(({ height }) => height > 112)
    .flatMap(({ height, transactions }) =>
      transactions.map((hex) => ({ tx: parseTransaction(Buffer.from(hex, 'hex')), height })),
    )
    .filter(({ tx: { transaction, fee } }) => {
      const { extra, outputs } = transaction;
      const endsWithNonce = extra.length > POW_NONCE_SIZE && extra[extra.length - POW_NONCE_SIZE - 1] === 4;
      return (fee ?? 0n) > 0n && endsWithNonce && outputs.length > 0;
    })
    .slice(0, 50);
  expect(recorded).toHaveLength(50);
  const { url } = await startHelper(['--network', 'devnet', '--rate-limit', '0', '--max-jobs-per-minute', '0']);
  for (const transaction of recorded) await solveAndCheck(url, 'devnet', transaction);
});

test('the mainnet transaction of block 4,213,650 is solved again', async () => {
  const { items } = readJson<{ items: { transactions: string[] }[] }>('mainnet/rawblocks_4213648_to_4213650_v7.json');
  const hex = items.at(-1)?.transactions[0] ?? '';
  const { url } = await startHelper();
  await solveAndCheck(url, 'mainnet', { tx: parseTransaction(Buffer.from(hex, 'hex')), height: 4_213_650 });
});
