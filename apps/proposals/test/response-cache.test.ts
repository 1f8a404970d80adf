import { ResponseCache } from '../src/response-cache';

test('a response is cached for its revision only, also if the data changes while it is created', async () => {
  const cache = new ResponseCache();
  let resolve: (text: string) => void = () => undefined;
  const promise = new Promise<string>((done) => (resolve = done));
  const text = async (revision: string, create: () => string | Promise<string>): Promise<string> =>
    (await cache.get(revision, 'key', create)).bytes.toString();
  const slow = text('1', () => promise);
  await cache.get('2', 'another key', () => '');
  resolve('old');
  expect(await slow).toBe('old');
  expect([await text('2', () => 'new'), await text('2', () => 'not created')]).toEqual(['new', 'new']);
});
