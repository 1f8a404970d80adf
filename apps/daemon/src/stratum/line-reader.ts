const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Cuts a stream into lines. Empty ones are left out, and so is a carriage return before the end of a line. */
export class LineReader {
  private rest = Buffer.alloc(0);

  constructor(private readonly maxBytes: number) {}

  /** Whether the beginning of a line waits for its end. */
  get isInside(): boolean {
    return this.rest.length > 0;
  }

  /** The lines that these bytes complete. @throws RangeError on a line that is too long */
  push(bytes: Buffer): string[] {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const lines: string[] = [];
    let start = 0;
    for (let end = all.indexOf(NEWLINE); end >= 0; end = all.indexOf(NEWLINE, start)) {
      const line = all.subarray(start, end > start && all[end - 1] === RETURN ? end - 1 : end);
      this.requireShort(line.length);
      if (line.length > 0) lines.push(line.toString());
      start = end + 1;
    }
    this.requireShort(all.length - start);
    // a copy: the rest must not keep the whole chunk in memory
    this.rest = Buffer.from(all.subarray(start));
    return lines;
  }

  private requireShort(length: number): void {
    if (length > this.maxBytes) throw new RangeError(`a line of more than ${String(this.maxBytes)} bytes`);
  }
}
