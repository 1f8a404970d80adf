import { startThread, workerEntry } from '@wrkz/service-kit/base';
import type { FromMappingThread, Gateway, MappingOutcome, MappingTask } from './task';

/** Megabytes that a thread may take: what a gateway sends is of unknown intent, and is not to cost the node its memory. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/** A task under way. */
export interface RunningTask {
  /** Undefined when it was cut off, or its thread came to nothing. */
  readonly outcome: Promise<MappingOutcome | undefined>;
  /** The gateway that has been asked for a mapping, and may have made it. */
  asked(): Gateway | undefined;
  /** Ends it at once. */
  cut(): void;
}

export type RunTask = (task: MappingTask, milliseconds: number) => RunningTask;

/**
 * Does a task in a thread of its own, which is ended when it takes too long. The library is loaded there and goes with it;
 * whatever a gateway sends is read there too.
 */
export const runInThread: RunTask = (task, milliseconds) => {
  const worker = startThread(workerEntry(__dirname, 'thread'), { workerData: task, resourceLimits: MEMORY });
  let asked: Gateway | undefined;
  const cut = (): void => void worker.terminate();
  const outcome = new Promise<MappingOutcome | undefined>((resolve) => {
    const timer = setTimeout(cut, milliseconds);
    worker.on('message', (message: FromMappingThread) => {
      if (message.kind === 'asking') asked = message.gateway;
      else {
        resolve(message.outcome);
        cut();
      }
    });
    worker.on('error', () => undefined); // it ends as well
    worker.on('exit', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  return { outcome, asked: () => asked, cut };
};
