import { startThread, workerEntry } from '@wrkz/service-kit/base';

/** What a thread of the port mapping is asked to do. */
export type MappingTask =
  | {
      readonly kind: 'map';
      /** A gateway that has done it before, which is asked alone; undefined searches for one. */
      readonly gateway: Gateway | undefined;
      /** The address that peers are listened for at; `0.0.0.0` or `::` for all. */
      readonly bindHost: string;
      readonly ports: MappedPorts;
    }
  | { readonly kind: 'unmap'; readonly gateway: Gateway; readonly ports: MappedPorts };

export interface MappedPorts {
  /** The port that peers call. */
  readonly outside: number;
  /** The port that listens. */
  readonly inside: number;
}

/** A router that may forward ports. */
export interface Gateway {
  /** Its description: `http://<its address>...`. */
  readonly location: string;
  /** Our address in its network. */
  readonly client: string;
}

/**
 * Outcome. `none`: no device responded. `unfit`: the device forwards no ports, or not from the internet; see `why`.
 * `refused`: the gateway's own words, or what went wrong with it. `removed` tells whether there was anything of ours.
 */
export type MappingOutcome =
  | { readonly kind: 'mapped'; readonly gateway: Gateway; readonly externalHost: string; readonly seconds: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unfit'; readonly why: string }
  | { readonly kind: 'refused'; readonly gateway: Gateway; readonly why: string }
  | { readonly kind: 'removed'; readonly wasOurs: boolean };

/** What a thread says, in this order: whom it is about to ask for a mapping, and how it went. */
export type FromMappingThread =
  { readonly kind: 'asking'; readonly gateway: Gateway } | { readonly kind: 'done'; readonly outcome: MappingOutcome };

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
