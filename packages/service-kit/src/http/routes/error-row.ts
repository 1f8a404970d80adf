/** An error as data: what a route or a method may answer, and when. `packages/api` holds the rows of every service. */
export interface ErrorRow {
  readonly status: number;
  /** The text that the client sees; `{name}` stands for what is filled in. */
  readonly text: string;
  /** The code beside the text, where the service has such: a JSON-RPC error's number, a wallet error's. */
  readonly code?: string | number | undefined;
  /** `data.application_code` of a JSON-RPC error whose code many errors share. */
  readonly application?: number | undefined;
  /** One sentence for the document. */
  readonly when: string;
}
