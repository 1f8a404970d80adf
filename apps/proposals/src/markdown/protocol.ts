import type { RenderedText } from './render';

/** The thread that renders what people wrote. */
export type MarkdownThread = {
  setup: Record<string, never>;
  ready: Record<string, never>;
  calls: { render: { argument: string; result: RenderedText } };
  events: Record<string, never>;
};
