import { ByteBudget } from '@wrkz/levin';
import { WriteQueue } from '../../../src/p2p/connection/write-queue';

describe('the write queue', () => {
  function queue(): { queue: WriteQueue; flush: () => void; time: { now: number }; written: Buffer[] } {
    const callbacks: (() => void)[] = [];
    const written: Buffer[] = [];
    const time = { now: 0 };
    const write = (bytes: Buffer, done: () => void): boolean => {
      written.push(bytes);
      callbacks.push(done);
      return true;
    };
    const flush = (): void => callbacks.shift()?.();
    return { queue: new WriteQueue({ write } as never, () => time.now, new ByteBudget(1 << 30)), flush, time, written };
  }

  it('holds at most 32 MiB', () => {
    const { queue: writes } = queue();
    expect(writes.push(Buffer.alloc(33), Buffer.alloc(32 * 1024 * 1024 - 33))).toBeUndefined();
    expect(writes.push(Buffer.alloc(1), Buffer.alloc(0))).toBe('writeQueueFull');
  });

  it('times out when nothing is written for two minutes', () => {
    const { queue: writes, flush, time } = queue();
    writes.push(Buffer.alloc(33), Buffer.alloc(1024 * 1024));
    for (let piece = 0; piece < 4; piece += 1) {
      time.now += 119_000;
      expect(writes.check()).toBeUndefined();
      flush();
    }
    time.now += 121_000;
    expect(writes.check()).toBe('writeTimeout');
    flush();
    expect(writes.size).toBe(0);
    time.now += 1_000_000;
    expect(writes.check()).toBeUndefined();
    // The time starts again with the first frame after an idle period.
    writes.push(Buffer.alloc(33), Buffer.alloc(1));
    expect(writes.check()).toBeUndefined();
  });

  it('writes small frames in one piece and large ones in many', async () => {
    const { queue: writes, flush, written } = queue();
    writes.push(Buffer.from('head'), Buffer.from('body'));
    expect(written.map(String)).toEqual(['headbody']);
    const body = Buffer.alloc(700_000, 7);
    writes.push(Buffer.from('head'), body);
    expect(Buffer.concat(written.slice(1)).equals(Buffer.concat([Buffer.from('head'), body]))).toBe(true);
    const waiting = writes.below(1000);
    while (writes.size > 0) flush();
    await waiting;
  });
});
