import { startThread, workerEntry } from '@wrkz/service-kit/base';

/** Task of a port mapping thread. */
export type MappingTask =
  | {
      readonly kind: 'map';
      /** A gateway of an earlier mapping, the only one to use; undefined searches for one. */
      readonly gateway: Gateway | undefined;
      /** The address of the peer listener; `0.0.0.0` or `::` for all. */
      readonly bindHost: string;
      readonly ports: MappedPorts;
    }
  | { readonly kind: 'unmap'; readonly gateway: Gateway; readonly ports: MappedPorts };

export interface MappedPorts {
  /** The external port. */
  readonly outside: number;
  /** The port of the listener. */
  readonly inside: number;
}

/** A router that may forward ports. */
export interface Gateway {
  /** URL of its description: `http://<its address>...`. */
  readonly location: string;
  /** The address of this machine in its network. */
  readonly client: string;
}

/**
 * Outcome. `none`: no device responded. `unfit`: the device maps no ports, or has no public address; see `why`.
 * `refused`: the error text of the gateway, or the failure. `removed`: whether a mapping of this node existed.
 */
export type MappingOutcome =
  | { readonly kind: 'mapped'; readonly gateway: Gateway; readonly externalHost: string; readonly seconds: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unfit'; readonly why: string }
  | { readonly kind: 'refused'; readonly gateway: Gateway; readonly why: string }
  | { readonly kind: 'removed'; readonly wasOurs: boolean };

/** Messages of a thread, in this order: the gateway that it is about to request a mapping from, and the outcome. */
export type FromMappingThread =
  | { readonly kind: 'requesting'; readonly gateway: Gateway }
  | { readonly kind: 'done'; readonly outcome: MappingOutcome };

/** Memory limit of a thread in megabytes. Responses of gateways are untrusted and must not exhaust the memory of the node. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/** A running task. */
export interface RunningTask {
  /** Undefined if the task was aborted or its thread failed. */
  readonly outcome: Promise<MappingOutcome | undefined>;
  /** The gateway of a mapping request; it may have created the mapping. */
  gateway(): Gateway | undefined;
  /** Terminates the thread immediately. */
  terminate(): void;
}

export type RunTask = (task: MappingTask, milliseconds: number) => RunningTask;

/**
 * Runs a task in a separate thread, which is terminated after the timeout. Only that thread loads the library and parses
 * the responses of gateways.
 */
export const runInThread: RunTask = (task, milliseconds) => {
  const worker = startThread(workerEntry(__dirname, 'thread'), { workerData: task, resourceLimits: MEMORY });
  let gateway: Gateway | undefined;
  const terminate = (): void => void worker.terminate();
  const outcome = new Promise<MappingOutcome | undefined>((resolve) => {
    const timer = setTimeout(terminate, milliseconds);
    worker.on('message', (message: FromMappingThread) => {
      if (message.kind === 'requesting') gateway = message.gateway;
      else {
        resolve(message.outcome);
        terminate();
      }
    });
    worker.on('error', () => undefined); // the exit event follows
    worker.on('exit', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  return { outcome, gateway: () => gateway, terminate };
};
