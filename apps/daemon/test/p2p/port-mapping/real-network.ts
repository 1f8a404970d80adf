import { networkInterfaces } from 'node:os';

/** @throws Error unless this process is in the network namespace of the tests: no packet may reach a real network */
export function refuseRealNetwork(): void {
  const names = Object.keys(networkInterfaces());
  if (!names.includes('br0') || names.some((name) => name !== 'lo' && name !== 'br0')) {
    throw new Error('this is a real network');
  }
}
