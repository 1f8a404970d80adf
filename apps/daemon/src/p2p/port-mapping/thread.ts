import { parentPort, workerData } from 'node:worker_threads';
import { perform } from './perform';
import type { FromMappingThread, MappingTask } from './task';

/** The body of a thread that does one task and ends. */
const say = (message: FromMappingThread): void => parentPort?.postMessage(message);
void perform(workerData as MappingTask, (gateway) => say({ kind: 'asking', gateway })).then((outcome) =>
  say({ kind: 'done', outcome }),
);
