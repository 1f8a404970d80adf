import { lookup } from 'node:dns/promises';
import { tcpTransport } from '../../../src/p2p/connection/transport';

jest.mock('node:dns/promises', () => ({ lookup: jest.fn() }));
const lookupMock = lookup as unknown as jest.Mock;

test('resolves a host name to all of its addresses', async () => {
  lookupMock.mockImplementation(async (_host: string, options?: { all?: boolean }) => {
    const found = ['192.0.2.1', '2001:db8::1'].map((address) => ({ address, family: 4 }));
    return options?.all === true ? found : found[0];
  });
  expect(await tcpTransport.resolve('seed.example')).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(lookupMock).toHaveBeenCalledWith('seed.example', { all: true });
});

test('an unknown host name has no addresses', async () => {
  lookupMock.mockRejectedValue(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
  expect(await tcpTransport.resolve('seed.example')).toEqual([]);
});
