import type { Api, Reply } from "../api.ts";
import type { Furniture } from "../furniture.ts";

/** One thing that people and programs do, and how often among all the others. */
export interface Deed {
  readonly name: string;
  readonly weight: number;
  /** Whether it takes as long as it should rather than as long as it must. */
  readonly slow?: boolean;
  readonly statuses: readonly number[];
  readonly act: (api: Api, things: Furniture, n: number) => Promise<Reply>;
}

/** Where the records of the table are. */
export const ORDERS = "/api/v1/tables/orders/records";
/** What is remembered of what was made, to come back to it. */
const KNOWN_MAX = 1_000;

/** One of them, another each time. */
export function at(ids: readonly string[], n: number): string {
  return ids[(n * 7_919) % ids.length] ?? "none";
}

/** Adds one, and forgets the oldest. */
export function remember(ids: string[], id: string): void {
  ids.push(id);
  if (ids.length > KNOWN_MAX) ids.shift();
}
