import { cpus, hostname } from 'node:os';
import { cpuFeatures } from '@wrkz/crypto';

/** Describes the machine; the first line of every benchmark. */
export function machine(): string {
  const features = Object.entries(cpuFeatures()).flatMap(([name, present]) => (present ? [name] : []));
  const model = cpus()[0]?.model ?? 'unknown processor';
  return `${hostname()}: ${model}, ${cpus().length} hardware threads, ${features.join(' ')}; Node.js ${process.version}`;
}
