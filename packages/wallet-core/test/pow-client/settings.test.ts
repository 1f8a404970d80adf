import { inGroup, parseOptions } from '@wrkz/service-kit';
import { DEFAULT_POW_SERVER, POW_SERVER_OPTIONS, powServerSettings, powServerUrl } from '../../src';

const options = inGroup('Proof of work', POW_SERVER_OPTIONS);
const read = (...args: string[]) =>
  powServerSettings(parseOptions(options, args, { name: 'wrkz-test', description: 'a test' }).values);

test('without a server the nonce is searched locally', () => {
  expect(read()).toEqual({ enabled: false, host: '', port: 443, ssl: true });
  expect(read('--tx-pow-server', '')).toMatchObject({ enabled: false });
  expect(DEFAULT_POW_SERVER.enabled).toBe(false);
});

test.each([
  [['--tx-pow-server', 'pow.example'], 'https://pow.example'],
  [['--tx-pow-server', 'pow.example/some/path'], 'https://pow.example/some/path'],
  [['--tx-pow-server', 'pow.example', '--tx-pow-server-port', '17870'], 'https://pow.example:17870'],
  [['--tx-pow-server', 'pow.example', '--tx-pow-server-ssl=false', '--tx-pow-server-port', '80'], 'http://pow.example'],
  [['--tx-pow-server', 'http://pow.example:17870/x/'], 'http://pow.example:17870/x'],
  [['--tx-pow-server', '[::1]:17870'], 'https://[::1]:17870'],
])('%j gives the URL %s', (args, url) => {
  const settings = read(...args);
  expect(settings.enabled).toBe(true);
  expect(powServerUrl(settings)).toBe(url);
});

test('the key is part of the settings, an empty key is not', () => {
  expect(read('--tx-pow-server', 'pow.example', '--tx-pow-server-key', 'secret')).toMatchObject({ apiKey: 'secret' });
  expect(read('--tx-pow-server', 'pow.example', '--tx-pow-server-key', '')).not.toHaveProperty('apiKey');
});

test.each(['ftp://pow.example', 'http://', 'a b', 'pow.example:99999'])('the host %s is refused', (host) => {
  expect(() => read('--tx-pow-server', host)).toThrow(/proof-of-work server/);
});
