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

/** `1.2.3.4:80` or `[2001:db8::1]:80`. */
export function endpointText({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
