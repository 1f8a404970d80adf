import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import {
  WALLET_ADDRESS,
  donationAddress,
  shortAddress,
  startService,
  stopAll,
  type RunningService,
} from '../support/service';
import { json, send, type HttpAnswer } from '../support/http-client';

let shared: RunningService;
let own: RunningService | undefined;
beforeAll(async () => {
  shared = await startService(['--rate-limit', '0', '--qr-limit', '0']);
});
afterEach(async () => {
  await own?.stop();
  own = undefined;
});
afterAll(stopAll);

const path = (address: string): string => `/api/1/qr?address=${encodeURIComponent(address)}`;

/** The text of a QR code in a PNG of 300 x 300 pixels. */
function decoded({ bytes }: HttpAnswer): string | undefined {
  const { width, height, data } = PNG.sync.read(bytes);
  expect([width, height]).toEqual([300, 300]);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

const DOCSTRING = {
  help: 'Generate a QR image. Subject to IP throttling.',
  params: { address: { help: 'valid receiving address', required: true, type: 'str' } },
  return: null,
};

test.each([
  ['plain', WALLET_ADDRESS, 98],
  ['integrated, short', shortAddress, 120],
  ['integrated, long', donationAddress('x'), 186],
])('the QR code of an address (%s) contains only the address', async (_kind, address, length) => {
  const { url } = shared;
  expect(address).toHaveLength(length);
  const response = await send(url, path(address));
  expect([response.status, response.headers['content-type']]).toEqual([200, 'image/png']);
  expect(decoded(response)).toBe(address);
  expect(response.headers['cache-control']).toBe('public, max-age=86400');
  const again = await send(url, path(address), { headers: { 'if-none-match': String(response.headers['etag']) } });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

const changed = (at: number, to: string): string => WALLET_ADDRESS.slice(0, at) + to + WALLET_ADDRESS.slice(at + 1);
const LENGTH = 'faulty address length, should be: 98, 120 or 186';

test.each([
  ['?', "argument 'address' is required"],
  ['?address=', "argument 'address' is required"],
  ['?Address=x', "argument 'address' is required"],
  [`?address=${WALLET_ADDRESS.slice(1)}`, LENGTH],
  [`?address=${WALLET_ADDRESS}a`, LENGTH],
  [`?address=${'Wrkz'.repeat(2000)}`, LENGTH],
  ['?address=../../etc/passwd', LENGTH],
  [`?address=${encodeURIComponent(`${changed(97, '\u0000')}`)}`, /not valid|invalid characters/],
  [`?address=${changed(50, WALLET_ADDRESS[50] === 'a' ? 'b' : 'a')}`, /Possibly invalid checksum/],
  [`?address=${changed(50, '0')}`, /not valid|invalid characters/],
  [`?address=T${WALLET_ADDRESS.slice(1)}`, /does not have the correct prefix/],
  [`?address=${'%F0%9F%92%A9'.repeat(49)}`, /correct prefix/],
])('rejects %s', async (query, text) => {
  const { url } = shared;
  const response = await send(url, `/api/1/qr${query}`);
  expect(response.status).toBe(400);
  expect(json(response)).toEqual({
    data: typeof text === 'string' ? text : expect.stringMatching(text),
    docstring: DOCSTRING,
  });
});

test('a repeated address is refused', async () => {
  const response = await send(shared.url, `${path(WALLET_ADDRESS)}&address=${WALLET_ADDRESS}`);
  expect(response.status).toBe(400);
  expect(json(response)).toEqual({ data: "argument 'address' must be given once", docstring: DOCSTRING });
});

test('counts new images per client, but not cached ones, those of proposals and local requests', async () => {
  let now = 60_000_000;
  const { url, add } = (own = await startService(['--qr-limit', '2', '--trusted-proxy', '127.0.0.1'], {
    now: () => now,
  }));
  add({ address: donationAddress('of a proposal') });
  const by = (client: string, name: string) =>
    send(url, path(donationAddress(name)), { headers: { 'x-real-ip': client } });
  const statuses = async (client: string, ...names: string[]) => {
    const got: number[] = [];
    for (const name of names) got.push((await by(client, name)).status);
    return got;
  };
  expect(await statuses('203.0.113.5', 'a', 'b', 'c', 'a', 'b', 'of a proposal')).toEqual([
    200, 200, 429, 200, 200, 200,
  ]);
  const refused = await by('203.0.113.5', 'c');
  expect([refused.headers['retry-after'], refused.headers['access-control-allow-origin'], json(refused)]).toEqual([
    '60',
    '*',
    { data: 'Wait a bit before generating a new QR', docstring: DOCSTRING },
  ]);
  expect(await statuses('203.0.113.6', 'c', 'd', 'e')).toEqual([200, 200, 429]);
  // An IPv6 client has a /64.
  expect(await statuses('2001:db8::1', 'l', 'm')).toEqual([200, 200]);
  expect([...(await statuses('2001:db8::2', 'n')), ...(await statuses('2001:db8:0:1::1', 'n'))]).toEqual([429, 200]);
  expect(await statuses('127.0.0.1', 'f', 'g', 'h')).toEqual([200, 200, 200]);
  now += 60_000;
  expect(await statuses('203.0.113.5', 'i', 'j', 'k')).toEqual([200, 200, 429]);
});

test('a limit of 0 draws without counting', async () => {
  const { url } = (own = await startService(['--qr-limit', '0', '--trusted-proxy', '127.0.0.1']));
  for (const name of ['a', 'b', 'c'])
    expect((await send(url, path(donationAddress(name)), { headers: { 'x-real-ip': '203.0.113.5' } })).status).toBe(
      200,
    );
});

describe('the images of a proposal', () => {
  test('contain the address, or with an amount a payment', async () => {
    const { url, add } = shared;
    const address = donationAddress('y');
    const id = add({ address });
    expect(decoded(await send(url, `/proposal/${id}/qr.png`))).toBe(address);
    expect(decoded(await send(url, `/proposal/${id}/qr.png?amount=250`))).toBe(`wrkz:${address}?amount=250.00`);
    expect(decoded(await send(url, `/proposal/${id}/qr.png?amount=.5`))).toBe(`wrkz:${address}?amount=0.50`);
    const svg = await send(url, `/proposal/${id}/qr.svg`);
    expect([svg.status, svg.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(svg.text).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 57 57"[^<]*><path [^<]*\/><path [^<]*\/><\/svg>\n$/,
    );
  });

  test.each(['0', '-1', '1.234', 'NaN', '1e3', '99999999999999999999', 'x', '<svg onload=alert(1)>', '1'.repeat(300)])(
    'rejects a payment of %s',
    async (amount) => {
      const { url, add } = shared;
      const id = add();
      const response = await send(url, `/proposal/${id}/qr.svg?amount=${encodeURIComponent(amount)}`);
      expect([response.status, response.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
      const page = await send(url, `/proposal/${id}?amount=${encodeURIComponent(amount)}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain('Enter an amount such as 250 or 12.50.');
      expect(page.text).not.toContain('<svg onload');
    },
  );
});
