import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@wrkz/testing';
import { ADDRESSES, ChainAStage, parsed, requireStatus } from './support/chain-a-service';
import { ApiProcess } from './support/process';

// Another process opens the files: all PBKDF2 iterations.
jest.unmock('node:crypto');

let stage: ChainAStage;
let folder: string;
const programs: ApiProcess[] = [];

beforeAll(async () => {
  stage = await ChainAStage.set();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-wallet-process-'));
});

afterEach(async () => {
  for (const program of programs.splice(0)) await program.end();
  stage.standIn.off('/sendrawtransaction').off('/getwalletsyncdata').off('/get_transactions_status');
  await stage.node.generate(ADDRESSES.grace, 1);
  rmSync(folder, { recursive: true, force: true });
});

afterAll(() => stage.strike());

async function program(more: readonly string[] = [], port?: number): Promise<ApiProcess> {
  const started = await ApiProcess.start({ folder, port: port ?? (await freePort()), more });
  programs.push(started);
  return started;
}

const PAYMENT = { destination: ADDRESSES.bob, amount: 4_321 };
const pay = (of: ApiProcess, key: string) =>
  of.request('POST', '/transactions/send/basic', { body: PAYMENT, headers: { 'Idempotency-Key': key } });

test('exits with 0 after SIGTERM, and the next run contains the confirmed send', async () => {
  const first = await program();
  await first.ready();
  await first.openAlice(stage);
  const reply = requireStatus(await pay(first, 'one'), 201);
  first.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0, signal: null });
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);

  const second = await program();
  await second.ready();
  await second.openAlice(stage, true);
  expect((await pay(second, 'one')).text).toBe(reply.text);
  const { transactions } = parsed<{ transactions: { hash: string }[] }>(
    await second.request('GET', '/transactions/unconfirmed'),
  );
  expect(transactions.map(({ hash }) => hash)).toEqual([parsed(reply)['transactionHash']]);
  expect(stage.node.pool()).toEqual([parsed(reply)['transactionHash']]);
});

test.each(['before', 'after'] as const)(
  'makes one payment after SIGKILL %s the node accepted the transaction',
  async (moment) => {
    const first = await program();
    await first.ready();
    await first.openAlice(stage);
    let taken: unknown;
    const relayed = new Promise<void>((resolve) => {
      stage.standIn.on('/sendrawtransaction', async ({ body }, behind) => {
        taken = body['tx_as_hex'];
        if (moment === 'after') await behind();
        first.kill('SIGKILL');
        await first.ended;
        resolve();
        return (response) => void response.destroy();
      });
    });
    await expect(pay(first, 'killed')).rejects.toThrow();
    await relayed;
    let again: unknown;
    stage.standIn.on('/sendrawtransaction', ({ body }, behind) => {
      again = body['tx_as_hex'];
      return behind();
    });

    const second = await program();
    await second.ready();
    await second.openAlice(stage, true);
    const { transactionHash } = parsed(requireStatus(await pay(second, 'killed'), 201));
    expect(again).toBe(taken);
    expect(stage.node.pool()).toEqual([transactionHash]);
  },
);

test('exits cleanly after SIGTERM during a block request, a send and a save', async () => {
  const first = await program();
  await first.ready();
  await first.openAlice(stage);
  const never = (): Promise<never> => new Promise(() => undefined);
  stage.standIn.on('/getwalletsyncdata', never);
  let release = (): void => undefined;
  const relayed = new Promise<void>((resolve) => {
    stage.standIn.on('/sendrawtransaction', async (_request, behind) => {
      resolve();
      await new Promise<void>((go) => (release = go));
      return behind();
    });
  });
  const reply = pay(first, 'sigterm').catch(() => undefined);
  await relayed;
  const save = first.request('PUT', '/save').catch(() => undefined);
  first.kill('SIGTERM');
  await first.prints(/SIGTERM received/);
  release();
  expect(await first.ended).toMatchObject({ code: 0 });
  await Promise.all([reply, save]);
  const [sent] = stage.node.pool();

  stage.standIn.off('/getwalletsyncdata').off('/sendrawtransaction');
  const second = await program();
  await second.ready();
  await second.openAlice(stage, true);
  expect(parsed(requireStatus(await pay(second, 'sigterm'), 201))['transactionHash']).toBe(sent);
});

test('exits with 1 and a message for a port in use, a wrong option and an invalid key file', async () => {
  const port = await freePort();
  const first = await program([], port);
  await first.ready();
  const second = await program([], port);
  const { code, stdout, stderr } = await second.ended;
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(
    `127.0.0.1:${String(port)}: the address is already in use. Choose another with --port`,
  );
  for (const [more, output] of [
    [['--no-such-option'], 'no-such-option'],
    [['--rpc-key-file', join(folder, 'none.json')], 'rpc-key-file'],
    [['--threads', '0'], 'Thread count must be at least 1'],
  ] as const) {
    const ended = await (await program(more)).ended;
    expect(ended.code).toBe(1);
    expect(ended.stdout + ended.stderr).toContain(output);
  }
});

test('logs no secrets at the highest log level', async () => {
  const log = join(folder, 'wallet.log');
  const first = await program(['--log-level', '5', '--log-file', log, '--daemon-token', 'token-of-the-node']);
  await first.ready();
  await first.openAlice(stage);
  requireStatus(await first.request('GET', '/keys'), 200);
  requireStatus(await first.request('GET', `/keys/${ADDRESSES.alice}`), 200);
  requireStatus(await first.request('GET', `/keys/mnemonic/${ADDRESSES.alice}`), 200);
  requireStatus(
    await first.request('PUT', '/wallet/password', { body: { password: 'secret_alice', newPassword: 'changed-it' } }),
    200,
  );
  expect((await first.request('GET', '/status?X-API-KEY=let-me-in&key=let-me-in', { key: '' })).status).toBe(401);
  expect((await first.request('GET', '/status', { key: 'a-wrong-guess' })).status).toBe(401);
  const keys = parsed<Record<string, string>>(await first.request('GET', `/keys/${ADDRESSES.alice}`));
  first.kill('SIGTERM');
  const { code, stdout, stderr } = await first.ended;
  expect(code).toBe(0);
  const output = stdout + stderr + first.read(log);
  expect(output).toContain('/status');
  const secrets = [first.password, 'secret_alice', 'changed-it', 'a-wrong-guess', 'let-me-in', 'token-of-the-node'];
  for (const secret of [...secrets, keys['privateSpendKey'] ?? '', keys['privateViewKey'] ?? '?']) {
    expect(secret).not.toBe('');
    expect(output).not.toContain(secret);
  }
});
