import { StandInNode } from '@wrkz/testing';
import { walletApi } from '@wrkz/api';
import { WalletDb } from '@wrkz/wallet-core';
import type { ServiceResponse } from '../support/service';
import { faultsOfJson } from './answers';
import { type Provocation, PROVOCATIONS, SAVING } from './provocations';
import { knownWallet, World } from './world';

/* Provokes each error that no recorded request provokes, if necessary with a misbehaving node. */

let world: World;
let node: StandInNode;
const LITE = 500;

beforeAll(async () => {
  world = await World.start();
  node = await StandInNode.start(`http://127.0.0.1:${String(world.nodePort)}`);
  const change = { daemonHost: '127.0.0.1', daemonPort: node.port };
  expect((await world.at('full').json('PUT', '/node', change)).status).toBe(200);
});

afterAll(async () => {
  await node.close();
  await world.stop();
});

async function provoke({
  route,
  at = 'full',
  path = {},
  body = '',
  prepares = false,
}: Provocation): Promise<ServiceResponse> {
  const [method = '', declared = ''] = route.split(' ');
  const text = prepares ? body.replace('{hash}', await prepared()) : body;
  const whole = declared.replace(/\{(\w+)\}/g, (_all, name: string) => path[name] ?? '');
  return world.at(at).request({ method, path: whole, body: text });
}

async function prepared(): Promise<string> {
  const body = { destination: knownWallet('bob').address, amount: 1000 };
  const { text } = await world.at('full').json('POST', '/transactions/prepare/basic', body);
  return (JSON.parse(text) as { transactionHash: string }).transactionHash;
}

/** The code of an error response, or of the only entry of a sweep. Expects the declared format. */
function codeOf({ status, text }: ServiceResponse): { status: number; code: number } {
  const isEntries = status === 200;
  const schema = isEntries ? walletApi.sweepResponse : walletApi.walletErrorBody;
  if (text === '') return { status, code: 0 };
  expect(faultsOfJson(schema, text)).toEqual([]);
  const read = JSON.parse(text) as { errorCode: number; transactions: { errorCode: number }[] };
  return { status, code: isEntries ? (read.transactions[0]?.errorCode ?? 0) : read.errorCode };
}

const counted = PROVOCATIONS.map(
  (row, i) => [`${String(i)}: ${row.route} is refused with ${String(row.code)}`, row] as const,
);

test.each(counted)('%s', async (_name, row) => {
  row.node?.(node);
  try {
    if (row.code === 62) await liteHeightKnown();
    const response = codeOf(await provoke(row));
    const isSweep = row.route.startsWith('POST /transactions/send/sweep');
    expect(response).toEqual({ status: isSweep ? 200 : 400, code: row.code });
  } finally {
    for (const path of ['/getrandom_outs', '/sendrawtransaction', '/info', '/getwalletsyncdata']) node.off(path);
    node.off('/get_global_indexes_for_range');
  }
  if (row.code === 31 && row.node !== undefined) await replaceRefused();
});

/** Spends an input of the refused transaction in a block, so that it can no longer be mined. */
async function replaceRefused(): Promise<void> {
  expect((await pay()).status).toBe(201);
  await world.mine(1);
}

function pay(): Promise<ServiceResponse> {
  return world.at('full').json('POST', '/transactions/send/basic', {
    destination: knownWallet('bob').address,
    amount: 1000,
  });
}

async function liteHeightKnown(): Promise<void> {
  await world.at('full').json('PUT', '/sync/refresh');
  for (;;) {
    const { text } = await world.at('full').json('GET', '/status');
    if ((JSON.parse(text) as { daemonLiteStartHeight: number }).daemonLiteStartHeight === LITE) return;
  }
}

test('returns invalidWalletFilename and submits nothing if saving fails', async () => {
  const made = JSON.parse((await world.at('full').json('POST', '/addresses/create')).text) as { address: string };
  const point = knownWallet('carol').publicSpendKey;
  const pending = (JSON.parse((await pay()).text) as { transactionHash: string }).transactionHash;
  const hash = await prepared();
  const before = node.requestsTo('/sendrawtransaction').length;
  const results: unknown[] = [];
  const fullDisk = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const transaction = jest.spyOn(WalletDb.prototype, 'transaction').mockImplementation(() => {
    throw fullDisk;
  });
  try {
    for (const row of SAVING) {
      const body = (row.body ?? '').replace('{point}', point).replace('{hash}', hash);
      const path = {
        address: made.address,
        subject: made.address,
        hash: row.route.includes('/prepared/') ? hash : pending,
      };
      const { status, code } = codeOf(await provoke({ ...row, body, path, prepares: false }));
      results.push([row.route, status, code]);
    }
  } finally {
    transaction.mockRestore();
  }
  expect(results).toEqual(SAVING.map(({ route }) => [route, 400, 2]));
  expect((await world.at('full').json('POST', '/sends/resume')).status).toBe(200);
  expect(node.requestsTo('/sendrawtransaction')).toHaveLength(before);
  expect((await world.at('full').json('PUT', '/save')).status).toBe(200);
});
