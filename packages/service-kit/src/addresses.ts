import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The canonical text of an IP address: `::ffff:1.2.3.4` becomes 1.2.3.4, brackets and zones are removed. Undefined if the text is
 * not an address. Bans, counters and trust lists must compare addresses in this form.
 */
export function canonicalHost(text: string): string | undefined {
  // Fast path for most addresses: ipaddr.js takes 5 us, for each connection.
  if (isIPv4(text)) return text;
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const address = bare.split('%', 1)[0] ?? '';
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  return ipaddr.process(address).toString();
}

/** Whether a text is an IPv6 address, with or without a zone. */
export function isIpv6Address(text: string): boolean {
  return ipaddr.IPv6.isValid(text) && !ipaddr.IPv4.isValid(text);
}

/**
 * The key under which limits count an address: an IPv4 address itself, for an IPv6 address its /64 (`2001:db8:1:2::/64`), the min
 * network of a customer. Any other text is returned unchanged.
 *
 * @param address in the form of `canonicalHost`
 */
export function countedAddress(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.map((part, i) => (i < 4 ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/64`;
}

/** The network group of an address (IPv4: /24, IPv6: /48): one owner often has many addresses in it. */
export function networkGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray().slice(0, parsed.kind() === 'ipv4' ? 3 : 6);
  return Buffer.from(bytes).toString('hex');
}

/** `1.2.3.4:80` or `[2001:db8::1]:80`. */
export function endpointText({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
