/** The data from the server for a page's script. */
export interface Start {
  readonly workspace: string;
  readonly environment: "production" | "staging" | "development";
  /** The base path behind a proxy. */
  readonly prefix: string;
  readonly form?: "item" | "broken";
  readonly itemId?: string;
  readonly schema?: unknown;
  readonly needsApproval?: boolean;
  readonly title?: string;
}

// Written by the server into a data block, which other scripts can't inject.
export const start = JSON.parse(
  document.querySelector("#start")?.textContent ?? "{}",
) as unknown as Start;
