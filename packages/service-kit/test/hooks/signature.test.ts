import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { readHookSecret, webhookHeaders } from '../../src/hooks/delivery';

const folder = mkdtempSync(join(tmpdir(), 'wrkz-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));

function secretFile(text: string, mode = 0o600): string {
  const path = join(folder, randomBytes(4).toString('hex'));
  writeFileSync(path, text, { mode });
  return path;
}

const now = (): number => Math.floor(Date.now() / 1000);
const body = '{"event":"tx","hash":"00ff"}';

describe('the library of Standard Webhooks verifies signatures', () => {
  const raw = 'correct horse battery staple';
  const standard = `whsec_${randomBytes(24).toString('base64')}`;

  it.each([
    ['a text', raw, new Webhook(raw, { format: 'raw' })],
    ['a text with a line end', `${raw}\n`, new Webhook(raw, { format: 'raw' })],
    ['a standard secret', standard, new Webhook(standard)],
  ])('with %s as the secret', (_name, text, receiver) => {
    const { key } = readHookSecret(secretFile(text));
    const content = { id: 'block-notify-1', timestamp: now(), body };
    const headers = webhookHeaders(content, key);
    expect(receiver.verify(body, headers)).toEqual({ event: 'tx', hash: '00ff' });
    expect(() => receiver.verify(body.replace('00', '01'), headers)).toThrow('No matching signature');
    expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'other' })).toThrow('No matching signature');
    const later = { ...headers, 'webhook-timestamp': String(now() + 1) };
    expect(() => receiver.verify(body, later)).toThrow('No matching signature');
  });

  it('and rejects a replay after the tolerance', () => {
    const { key } = readHookSecret(secretFile(raw));
    const old = webhookHeaders({ id: '1', timestamp: now() - 3600, body }, key);
    expect(() => new Webhook(raw, { format: 'raw' }).verify(body, old)).toThrow('timestamp too old');
  });
});

it('sends the id alone without a secret', () => {
  expect(webhookHeaders({ id: '1', timestamp: 5, body }, undefined)).toEqual({ 'webhook-id': '1' });
});

it('rejects a secret that is missing, empty or short, and reports whether others can read it', () => {
  expect(() => readHookSecret(join(folder, 'none'))).toThrow(/none cannot be used: no such file/);
  expect(() => readHookSecret(secretFile(''))).toThrow(/at least 16 bytes/);
  expect(() => readHookSecret(secretFile('short'))).toThrow(/at least 16 bytes/);
  expect(() => readHookSecret(secretFile('whsec_c2hvcnQ='))).toThrow(/at least 16 bytes/);
  expect(readHookSecret(secretFile('x'.repeat(16), 0o644)).shared).toBe(true);
  expect(readHookSecret(secretFile('x'.repeat(16))).shared).toBe(false);
});
