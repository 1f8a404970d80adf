/** An event as `/events` gives it. */
export interface GivenEvent {
  readonly number: number;
  readonly topic: string;
  readonly time: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface GivenPage {
  readonly events: readonly GivenEvent[];
  readonly journal: string;
  readonly kept_after: number;
  readonly latest: number;
  readonly next: number;
}

/** Everything above a number, page by page. */
export async function allEvents(url: string, after = 0): Promise<GivenEvent[]> {
  const all: GivenEvent[] = [];
  for (let from = after; ;) {
    const response = await fetch(`${url}/events?limit=1000&after=${String(from)}`);
    if (response.status !== 200) throw new Error(`${String(response.status)}: ${await response.text()}`);
    const { events, next } = (await response.json()) as GivenPage;
    if (events.length === 0) return all;
    all.push(...events);
    from = next;
  }
}

/** A stream of server-sent events, one block of lines at a time. */
export async function* sentBlocks(response: Response): AsyncGenerator<Map<string, string>> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      yield new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
    }
  }
}
