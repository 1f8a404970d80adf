import ipaddr from 'ipaddr.js';

/**
 * The one spelling of an IP address: `::ffff:1.2.3.4` is 1.2.3.4, brackets and zones go. Undefined when the text is no
 * address. What is banned, counted or trusted by address must be compared in this form.
 */
export function canonicalHost(text: string): string | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const address = bare.split('%', 1)[0] ?? '';
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  return ipaddr.process(address).toString();
}

/** True for an IPv6 address; a zone may stand behind it. */
export function isIpv6Address(text: string): boolean {
  return ipaddr.IPv6.isValid(text) && !ipaddr.IPv4.isValid(text);
}

/**
 * What limits count by: an IPv4 address as it is, of an IPv6 address the /64 (`2001:db8:1:2::/64`), because that is the
 * least that one customer gets. Anything else is returned as it stands.
 *
 * @param address in the form of `canonicalHost`
 */
export function countedAddress(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.map((part, i) => (i < 4 ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/64`;
}

/** The network of an address, in which one owner often has many addresses: IPv4 by /24, IPv6 by /56. */
export function networkGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray().slice(0, parsed.kind() === 'ipv4' ? 3 : 7);
  return Buffer.from(bytes).toString('hex');
}

/** `1.2.3.4:80` or `[2001:db8::1]:80`. */
export function endpointText({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
