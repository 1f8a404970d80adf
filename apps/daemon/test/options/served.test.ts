import { readConfig } from '../../src';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

exercises('enable-metrics', 'no-console', 'no-zmq', 'rpc-max-rpm');

const suite = newSuite();
afterAll(() => suite.stopAll());

it('serves metrics if enabled', async () => {
  const status = async (...args: string[]): Promise<number> => {
    const node = await suite.node({ args: ['--no-console', '--no-zmq', ...args] });
    const { status: found } = await fetch(`http://127.0.0.1:${String(node.daemon.ports.rpc)}/metrics`);
    await node.stop();
    return found;
  };
  expect(await status()).toBe(404);
  expect(await status('--enable-metrics')).toBe(200);
});

it('accepts 240 requests per minute, any number, and no limit, and rejects lower values', () => {
  const limit = (...args: string[]): number => readConfig(args).options['rpc-max-rpm'];
  expect([limit(), limit('--rpc-max-rpm=1'), limit('--rpc-max-rpm=0')]).toEqual([240, 1, 0]);
  expect(() => limit('--rpc-max-rpm=-1')).toThrow('out of range');
});
