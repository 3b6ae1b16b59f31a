/** What the server says to the script of a page. */
export interface Start {
  readonly workspace: string;
  readonly environment: "production" | "staging" | "development";
  /** The path under which a proxy serves us. */
  readonly prefix: string;
  readonly form?: "item" | "broken";
  readonly itemId?: string;
  readonly schema?: unknown;
  readonly needsApproval?: boolean;
  readonly title?: string;
}

// Written by the server, into a block that no script of others can reach.
export const start = JSON.parse(
  document.querySelector("#start")?.textContent ?? "{}",
) as unknown as Start;
