import { PassPlaces } from '../../src/serve-rpc/places';

const isFunction = (value: unknown): boolean => typeof value === 'function';

test('an address has so many places, one of this machine all that there are', () => {
  const places = new PassPlaces({ all: 4, perAddress: 2 });
  const first = places.take('2001:db8::1');
  expect(isFunction(first)).toBe(true);
  expect(isFunction(places.take('2001:db8::2'))).toBe(true);
  expect(places.take('2001:db8::3')).toBe('address');
  if (typeof first === 'function') first();
  expect(isFunction(places.take('2001:db8::3'))).toBe(true);
  expect(isFunction(places.take('127.0.0.1'))).toBe(true);
  expect(isFunction(places.take('127.0.0.1'))).toBe(true);
  expect(places.take('127.0.0.1')).toBe('all');
  expect(places.take('192.0.2.1')).toBe('all');
});
