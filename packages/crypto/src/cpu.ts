import { requireInteger } from './arguments';
import { binding } from './binding';

/** Features of the processor that the operating system supports. */
export interface CpuFeatures {
  aesni: boolean;
  avx2: boolean;
  bmi2: boolean;
  fma: boolean;
  /** F, BW, DQ and VL together. */
  avx512: boolean;
  vaes: boolean;
  ifma: boolean;
  /** The AES instructions of 64-bit ARM processors. */
  armAes: boolean;
}

/** The code paths, from the simplest to the widest, for x86 and then for ARM. All compute the same results. */
export const IMPLEMENTATIONS = ['portable', 'aesni', 'avx2', 'avx512', 'armv8'] as const;
export type Implementation = (typeof IMPLEMENTATIONS)[number];

/** Max points per batch of each path. */
const CURVE_LANES: Readonly<Record<'auto' | Implementation, number>> = {
  auto: 8,
  portable: 1,
  aesni: 1,
  avx2: 4,
  avx512: 8,
  armv8: 1,
};

interface CpuBinding {
  cpuFeatures(): CpuFeatures;
  implementation(): Implementation;
  setImplementation(name: string): boolean;
  limitCurveLanes(limit: number): void;
  forceCurveLanes(lanes: number): boolean;
  hardwareThreads(): number;
  timeStamp(): bigint;
  setThreads(count: number): void;
}

export function cpuFeatures(): CpuFeatures {
  return binding<CpuBinding>().cpuFeatures();
}

/** The current path: the widest that this processor supports, unless `setImplementation` selected another. */
export function implementation(): Implementation {
  return binding<CpuBinding>().implementation();
}

/**
 * Selects a path for the whole process, `auto` for the widest one. For tests and measurements.
 * @throws RangeError if this processor does not support it
 */
export function setImplementation(name: 'auto' | Implementation): void {
  if (!binding<CpuBinding>().setImplementation(name)) {
    throw new RangeError(`the ${String(name)} implementation is not supported here`);
  }
  binding<CpuBinding>().limitCurveLanes(CURVE_LANES[name]);
}

/** Possible numbers of points per batch, depending on the processor. All compute the same results. */
export const CURVE_LANE_COUNTS = [1, 4, 8] as const;
export type CurveLanes = (typeof CURVE_LANE_COUNTS)[number];

/**
 * Sets the number of lanes for batches of any number of points; `auto` restores the default of the path. For tests and
 * measurements.
 * @throws RangeError if this processor does not support it
 */
export function setCurveLanes(lanes: 'auto' | CurveLanes): void {
  if (lanes !== 'auto') requireInteger(lanes, 'lanes', 1, 8);
  if (!binding<CpuBinding>().forceCurveLanes(lanes === 'auto' ? 0 : lanes)) {
    throw new RangeError(`batches of ${String(lanes)} lanes are not supported here`);
  }
}

/** Number of hardware threads, at least 1. */
export function hardwareThreads(): number {
  return binding<CpuBinding>().hardwareThreads();
}

/** Limits the native threads behind the asynchronous forms (not the nonce search, which has its own option). 1 to 1024. */
export function setThreads(count: number): void {
  requireInteger(count, 'count', 1, 1024);
  binding<CpuBinding>().setThreads(count);
}

/** The time stamp counter of the processor, which has a constant rate, for measurements; 0n if there is none. */
export function timeStamp(): bigint {
  return binding<CpuBinding>().timeStamp();
}
