import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMemoryLogger } from '@wrkz/service-kit';
import { RECENT_BLOCKS, isRecent } from '@wrkz/wallet-server';
import { transactionEvent } from '../src/notifications';
import { ADDRESSES, ChainAStage, hashOf, parsed, requireStatus, send } from './support/chain-a-service';
import type { TestService } from './support/service';

let stage: ChainAStage;
let receiver: Server;
/** Received notifications, and the callback of a waiting test. */
const received: string[] = [];
let onReceived = (): void => undefined;

beforeAll(async () => {
  stage = await ChainAStage.set();
  receiver = createServer((request, response) => {
    // A receiver that never responds gets one notification.
    if (request.url === '/hang') return;
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      received.push(text);
      onReceived();
      response.end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
});

beforeEach(() => void received.splice(0));

afterAll(async () => {
  await stage.strike();
  receiver.closeAllConnections();
  receiver.close();
});

const url = (path: string): string => `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}${path}`;

async function untilReceived(count: number): Promise<void> {
  while (received.length < count) await new Promise<void>((resolve) => (onReceived = resolve));
}

async function open(service: TestService, name: string): Promise<void> {
  await stage.open(service, name);
  await service.synced(stage.node.height);
}

test('notifies each receiver once per transaction while another receiver hangs', async () => {
  const service = await stage.service(['--tx-notify', url('/hang'), '--tx-notify', url('/hook?token=t')]);
  await open(service, 'alice');
  const hash = hashOf(await send(service, { destination: ADDRESSES.bob, amount: 7_000 }));
  await stage.mine(service, 1);
  await untilReceived(1);
  const { transactions } = parsed<{
    transactions: { hash: string; fee: number; timestamp: number; unlockTime: number }[];
  }>(await service.json('GET', `/transactions/${String(stage.node.height - 1)}`));
  const [{ fee, timestamp, unlockTime } = { fee: 0, timestamp: 0, unlockTime: 0 }] = transactions.filter(
    (transaction) => transaction.hash === hash,
  );
  const { height } = stage.node;
  const amount = -7_000 - fee;
  const event = { event: 'tx', hash, height, amount, fee, paymentId: '', confirmed: true };
  expect(received).toEqual([JSON.stringify({ ...event, timestamp, unlockTime, isCoinbase: false })]);
  requireStatus(await service.json('PUT', '/save'), 200);
});

test('passes placeholders to a command as arguments without a shell', async () => {
  const service = await stage.service();
  const out = join(service.folder, 'told');
  const script = join(service.folder, 'hook.js');
  service.file(
    'hook.js',
    `const fs = require('node:fs');
     fs.writeFileSync(process.argv[2] + '.new', JSON.stringify(process.argv.slice(3)));
     fs.renameSync(process.argv[2] + '.new', process.argv[2]);
     require('node:http').request('${url('/ran')}', { method: 'POST' }).end();`,
  );
  const command = `"${process.execPath}" "${script}" "${out}" %s %h %a %f "id=%p;touch" '$(id)' %c %%`;
  const hooked = await stage.service(['--tx-notify', command]);
  // Earlier blocks contain no transaction of this wallet.
  await open(hooked, 'erin');
  const paymentID = 'ab'.repeat(32);
  const reply = await hooked.json('POST', '/transactions/send/basic', {
    destination: ADDRESSES.bob,
    amount: 9_000,
    paymentID,
  });
  const hash = hashOf(reply);
  const { fee } = parsed<{ fee: number }>(reply);
  await stage.mine(hooked, 1);
  await untilReceived(1);
  expect(existsSync(out)).toBe(true);
  const words = [hash, String(stage.node.height), String(-9_000 - fee), String(fee), `id=${paymentID};touch`];
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual([...words, '$(id)', '1', '%']);
});

test('logs a warning for an invalid hook and serves', async () => {
  const logger = createMemoryLogger();
  const service = await stage.service(['--tx-notify', 'http://['], { logger });
  expect((await service.request({ method: 'GET', path: '/livez', key: '' })).status).toBe(200);
  expect(logger.entries.map(({ message }) => message).join('\n')).toContain('No usable notification hook');
});

test.each([
  [{ localHeight: 5_000, networkHeight: 0 }],
  [{ localHeight: 0, networkHeight: 5_000 }],
  [{ localHeight: 5_000, networkHeight: 4_000 }],
])('treats transactions more than 1,440 blocks below the tip as history: %j', (heights) => {
  expect(isRecent({ blockHeight: 5_000 - RECENT_BLOCKS }, heights)).toBe(true);
  expect(isRecent({ blockHeight: 5_000 - RECENT_BLOCKS - 1 }, heights)).toBe(false);
});

test('reports the sum of the transfers as the amount of an event', () => {
  const transfers = [5n, -2n, 2n ** 64n].map((amount) => ({ publicSpendKey: '', amount }));
  const transaction = { transfers, hash: 'h', fee: 3n, blockHeight: 9, timestamp: 8, paymentId: 'p', unlockTime: 7n };
  expect(transactionEvent({ ...transaction, isCoinbase: true })).toEqual({
    event: 'tx',
    placeholders: { s: 'h', h: '9', a: '18446744073709551619', f: '3', p: 'p', c: '1' },
    fields: {
      hash: 'h',
      height: 9,
      amount: 18446744073709551619n,
      fee: 3n,
      paymentId: 'p',
      confirmed: true,
      timestamp: 8,
      unlockTime: 7n,
      isCoinbase: true,
    },
  });
});
