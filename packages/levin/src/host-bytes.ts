import * as ipaddr from 'ipaddr.js';

/** The 4 or 16 bytes of an address. */
export function hostBytes(host: string): Buffer {
  return Buffer.from(ipaddr.process(host).toByteArray());
}

/** The canonical address of 4 or 16 bytes. */
export function hostOfBytes(bytes: Buffer): string {
  return ipaddr.process(ipaddr.fromByteArray([...bytes]).toString()).toString();
}
