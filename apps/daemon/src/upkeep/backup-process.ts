import { backupChainDb, type ChainBackupOptions } from '@wrkz/chain-db';
import { serveTask } from './task-process-main';

/** The longest rest between two steps, in milliseconds. */
const LONGEST_REST = 200;

/** Rests as long as the last step took: half of the disk and of a processor is left to the node. */
function pacer(): () => void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  let rested = performance.now();
  return () => {
    Atomics.wait(clock, 0, 0, Math.min(LONGEST_REST, performance.now() - rested));
    rested = performance.now();
  };
}

serveTask<ChainBackupOptions>(async (task, progress) => {
  const rest = pacer();
  const onProgress = (copied: number, total: number): void => {
    progress(copied, total);
    rest();
  };
  const { height, hash } = await backupChainDb({ ...task, onProgress });
  return { height, hash: hash.toString('hex') };
});
