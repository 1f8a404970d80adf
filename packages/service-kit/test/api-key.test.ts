import { connect } from 'node:net';
import { once } from 'node:events';
import { checkApiKey } from '../src/http/guards';
import { closeAll, raw, serveApp } from './support/http-client';

afterEach(closeAll);

async function statusWith(key: string, ...headers: string[]): Promise<string | undefined> {
  const apiKey = { key, bearer: true };
  const { port } = await serveApp([raw('GET', '/x', (_request, response) => response.end('in'))], { apiKey });
  const socket = connect(port, '127.0.0.1');
  const lines = headers.map((line) => `${line}\r\n`).join('');
  socket.write(`GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`);
  let text = '';
  socket.on('data', (part: Buffer) => (text += String(part)));
  await once(socket, 'close');
  return text.split(' ')[1];
}

test.each(['schlüssel', 'ключ', '鍵 mit Leerzeichen', 'a:b=c'])('accepts the key %s', async (key) => {
  expect(checkApiKey(key)).toBeUndefined();
  expect(await statusWith(key, `X-API-Key: ${key}`)).toBe('200');
  expect(await statusWith(key, `Authorization: Bearer ${key}`)).toBe('200');
  expect(await statusWith(key, `X-API-Key: ${key.slice(0, -1)}`)).toBe('401');
});

test('repeated headers are joined, and an empty one is ignored', async () => {
  expect(await statusWith('k', 'X-API-Key: k', 'X-API-Key: k')).toBe('401');
  expect(await statusWith('k', 'X-API-Key: x', 'Authorization: Bearer k')).toBe('401');
  expect(await statusWith('k', 'X-API-Key:', 'Authorization: Bearer k')).toBe('200');
  expect(await statusWith('k', 'Authorization: Bearer k', 'Authorization: Bearer x')).toBe('200');
  expect(await statusWith('k', 'Authorization: bearer k')).toBe('401');
  expect(await statusWith('k', 'Authorization: Basic k')).toBe('401');
  expect(await statusWith('k', 'X-API-Key:', 'Authorization: Bearer')).toBe('401');
});

test.each([' k', 'k ', 'k\n', '\tk', 'a\r\nb', 'a\u007f', ' '])(
  'rejects the key %j, which no header can contain',
  (key) => {
    expect(checkApiKey(key)).toBe('a header cannot contain leading or trailing blanks and control characters');
  },
);

test('an empty key is allowed', () => expect(checkApiKey('')).toBeUndefined());
