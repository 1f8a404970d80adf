import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceArguments } from '@wrkz/testing/source';
import { WebhookReceiver } from '../support/receiver';
import { numbered } from './fake-feed';

const EVENTS = 5_000;
const ROUND = 250;

/** Kills the receiver and the notifier alternately during deliveries. */
test('5,000 events arrive in order although both sides are killed repeatedly', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-kill-'));
  const receiver = await new WebhookReceiver().open();
  const program = [
    ...sourceArguments(join(__dirname, '../programs/notifier.ts')),
    folder,
    receiver.url,
    String(EVENTS),
  ];
  let notifier: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    notifier = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (notifier.stdout) await once(notifier.stdout, 'data');
  };
  const arrived = (): number => numbered(receiver.received).length;
  try {
    await start();
    for (let round = 0, target = ROUND; target < EVENTS; target += ROUND, round++) {
      await receiver.until(() => arrived() >= target);
      if (round % 2 === 0) {
        await receiver.close();
        await receiver.open();
        continue;
      }
      const ended = notifier && once(notifier, 'exit');
      notifier?.kill('SIGKILL');
      await ended;
      await start();
    }
    await receiver.until(() => arrived() === EVENTS);
    expect(numbered(receiver.received)).toEqual(Array.from({ length: EVENTS }, (_, i) => i + 1));
  } finally {
    notifier?.kill('SIGKILL');
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
