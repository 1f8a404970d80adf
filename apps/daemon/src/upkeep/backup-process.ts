import { backupChainDb, type ChainBackupOptions } from '@wrkz/chain-db';
import { serveTask } from './task-process';

const MAX_PAUSE_MS = 200;

/** Pauses for as long as the last step took: leaves half of the disk's and a processor's time to the node. */
function createThrottle(): () => void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  let pausedAt = performance.now();
  return () => {
    Atomics.wait(clock, 0, 0, Math.min(MAX_PAUSE_MS, performance.now() - pausedAt));
    pausedAt = performance.now();
  };
}

serveTask<ChainBackupOptions>(async (task, progress) => {
  const throttle = createThrottle();
  const onProgress = (copied: number, total: number): void => {
    progress(copied, total);
    throttle();
  };
  const { height, hash } = await backupChainDb({ ...task, onProgress });
  return { height, hash: hash.toString('hex') };
});
