import v8 from 'node:v8';
import type * as vm from 'node:vm';
import { collectGarbage, collectStartGarbage } from '../src/garbage';

const collect = jest.fn();
jest.mock('node:vm', () => ({ ...jest.requireActual<typeof vm>('node:vm'), runInNewContext: () => collect }));

function collectionsAt(utilization: number): number {
  jest.useFakeTimers();
  collect.mockClear();
  const measured = { idle: 0, active: 0, utilization };
  jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue(measured);
  collectStartGarbage();
  jest.runAllTimers();
  return collect.mock.calls.length;
}

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

beforeEach(() => {
  jest.spyOn(v8, 'getHeapStatistics').mockReturnValue({ ...v8.getHeapStatistics(), used_heap_size: 1 });
});

it('collects the garbage of the start of an idle thread', () => {
  expect(collectionsAt(0.01)).toBe(3);
});

it('does not pause a busy thread', () => {
  expect(collectionsAt(0.4)).toBe(0);
});

it('does not pause a thread with a large heap', () => {
  const large = { ...v8.getHeapStatistics(), used_heap_size: 49 * 1024 * 1024 };
  jest.spyOn(v8, 'getHeapStatistics').mockReturnValue(large);
  collect.mockClear();
  collectGarbage();
  expect(collect).not.toHaveBeenCalled();
});
