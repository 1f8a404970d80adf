import { EventEmitter } from 'node:events';
import { createMetrics, createMemoryLogger } from '@wrkz/service-kit';
import { logMoneyEvents, registerWalletMetrics } from '../src/observers';

const wallets = (): EventEmitter & { current: undefined } => Object.assign(new EventEmitter(), { current: undefined });

test('logs each money event with its fields, and what the operator should look at as a warning', () => {
  const source = wallets();
  const logger = createMemoryLogger();
  const { entries } = logger;
  logMoneyEvents(source as never, logger);
  const event = { sequence: 7, time: 1, transaction: 'ab', amount: -5n, subWallet: undefined };
  source.emit('moneyEvent', { ...event, kind: 'send', payload: { fee: 3n } });
  const warnings = ['send-refused', 'send-given-up', 'contested-send-mined', 'sends-paused'];
  warnings.push('transaction-unverified', 'transaction-disproved');
  for (const kind of warnings) {
    source.emit('moneyEvent', { sequence: 8, time: 1, kind });
  }
  source.emit('ringFallback', { requested: 3, used: 1 });
  expect(entries.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info money event: send',
    'warning money event: send-refused',
    'warning money event: send-given-up',
    'warning money event: contested-send-mined',
    'warning money event: sends-paused',
    'warning money event: transaction-unverified',
    'warning money event: transaction-disproved',
    'warning a send used a smaller ring: the node has too few decoys',
  ]);
  expect(entries[0]?.fields).toEqual({ sequence: 7, time: 1, transaction: 'ab', amount: -5n, fee: 3n });
  expect(entries.at(-1)?.fields).toEqual({ requested: 3, used: 1 });
});

test('counts ring fallbacks and given-up sends', async () => {
  const source = wallets();
  const metrics = createMetrics('wrkz_wallet_');
  registerWalletMetrics(metrics, source as never);
  source.emit('ringFallback', { requested: 3, used: 1 });
  source.emit('moneyEvent', { kind: 'send-given-up' });
  source.emit('moneyEvent', { kind: 'send' });
  const text = await metrics.registry.metrics();
  expect(text).toContain('wrkz_wallet_ring_fallbacks_total 1\n');
  expect(text).toContain('wrkz_wallet_given_up_sends_total 1\n');
});
