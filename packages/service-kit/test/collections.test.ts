import { BoundedMap } from '../src/collections';

test('evicts the least recently written entry', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2);
  expect(map.get('a')).toBe(1); // a read does not refresh
  map.set('c', 3);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ]);
});

test('setting a key again makes it the newest and evicts nothing', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3);
  expect([...map.keys()]).toEqual(['b', 'a']);
  map.set('c', 4);
  expect([...map.keys()]).toEqual(['a', 'c']);
});

test('undefined as a key or value is evicted like any other', () => {
  const map = new BoundedMap<string | undefined, undefined>(1);
  map.set(undefined, undefined).set('a', undefined);
  expect([...map.keys()]).toEqual(['a']);
});
