import { RequestSlots } from '../src/util/request-slots';

const isFunction = (value: unknown): boolean => typeof value === 'function';

test('limits the slots of an address; loopback may take all of them', () => {
  const slots = new RequestSlots({ total: 4, perAddress: 2 });
  const first = slots.take('2001:db8::1');
  expect(isFunction(first)).toBe(true);
  expect(isFunction(slots.take('2001:db8::2'))).toBe(true);
  expect(slots.take('2001:db8::3')).toBe('address');
  if (typeof first === 'function') first();
  expect(isFunction(slots.take('2001:db8::3'))).toBe(true);
  expect(isFunction(slots.take('127.0.0.1'))).toBe(true);
  expect(isFunction(slots.take('127.0.0.1'))).toBe(true);
  expect(slots.take('127.0.0.1')).toBe('total');
  expect(slots.take('192.0.2.1')).toBe('total');
});
