/** The thread that renders what people wrote. */
export type MarkdownThread = {
  setup: Record<string, never>;
  ready: Record<string, never>;
  calls: {
    render: { argument: string; result: string };
    excerpt: { argument: string; result: string };
  };
  events: Record<string, never>;
};
