/** A whole text frame from a server: not masked, not compressed, and so the same for every client. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text, 'utf8');
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([0x81, length]), payload]);
  if (length < 65_536) return Buffer.concat([Buffer.from([0x81, 126, length >> 8, length & 0xff]), payload]);
  const head = Buffer.alloc(10);
  head.writeUInt16BE(0x817f);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** What a client reads: the topic, and the body as publishers give it, byte for byte. */
export function topicFrame(topic: string, body: string): Buffer {
  return textFrame(`{"topic":"${topic}","data":${body}}`);
}
