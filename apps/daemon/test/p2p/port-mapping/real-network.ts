import { networkInterfaces } from 'node:os';

/** @throws Error unless this process sees the network of a namespace: nothing may be sent into a real one */
export function refuseRealNetwork(): void {
  const names = Object.keys(networkInterfaces());
  if (!names.includes('br0') || names.some((name) => name !== 'lo' && name !== 'br0')) {
    throw new Error('this is a real network');
  }
}
