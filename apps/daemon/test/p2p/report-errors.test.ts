import { reportNewThrow } from '../../src/p2p/report-errors';
import { TestLogger } from './fakes';

test('logs an error that a timer repeats in each run once', () => {
  const logger = new TestLogger();
  const errors = [new Error('first'), undefined, new Error('second')];
  let run = 0;
  const callback = reportNewThrow(logger, 'a timer', () => {
    const error = errors[Math.floor(run++ / 5)];
    if (error !== undefined) throw error;
  });
  for (let i = 0; i < 15; i++) callback();
  expect(logger.lines.map((line) => line.split('\n')[0])).toEqual([
    'error a timer: Error: first',
    'error a timer: Error: second',
  ]);
});
