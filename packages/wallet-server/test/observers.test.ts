import { createMetrics, createMemoryLogger } from '@wrkz/service-kit';
import { moneyEventLogger, registerWalletMetrics } from '../src';

test('logs each money event with its fields, and events that need attention as a warning', () => {
  const logger = createMemoryLogger();
  const { entries } = logger;
  const { event, ringFallback } = moneyEventLogger(logger);
  const fields = { sequence: 7, time: 1, transaction: 'ab', amount: -5n, subWallet: undefined };
  event({ ...fields, kind: 'send', payload: { fee: 3n } });
  const warnings = ['send-refused', 'send-given-up', 'contested-send-mined', 'sends-paused'];
  warnings.push('transaction-unverified', 'transaction-disproved', 'ring-replaced');
  for (const kind of warnings) {
    event({ sequence: 8, time: 1, kind });
  }
  ringFallback({ requested: 3, used: 1 });
  expect(entries.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info money event: send',
    'warning money event: send-refused',
    'warning money event: send-given-up',
    'warning money event: contested-send-mined',
    'warning money event: sends-paused',
    'warning money event: transaction-unverified',
    'warning money event: transaction-disproved',
    'warning money event: ring-replaced',
    'warning a send used a smaller ring: the node has too few decoys',
  ]);
  expect(entries[0]?.fields).toEqual({ sequence: 7, time: 1, transaction: 'ab', amount: -5n, fee: 3n });
  expect(entries.at(-1)?.fields).toEqual({ requested: 3, used: 1 });
});

test('counts ring fallbacks and given-up sends; without a wallet only `open` has a value', async () => {
  const metrics = createMetrics('wrkz_wallet_');
  const { event, ringFallback } = registerWalletMetrics(metrics, () => undefined);
  ringFallback({ requested: 3, used: 1 });
  event({ sequence: 1, time: 1, kind: 'send-given-up' });
  event({ sequence: 2, time: 1, kind: 'send' });
  const text = await metrics.registry.metrics();
  expect(text).toContain('wrkz_wallet_ring_fallbacks_total 1\n');
  expect(text).toContain('wrkz_wallet_given_up_sends_total 1\n');
  expect(text).toContain('wrkz_wallet_open 0\n');
  expect(text).not.toMatch(/^wrkz_wallet_height/m);
});
