import type { Api, Reply } from "../api.ts";
import type { Furniture } from "../furniture.ts";

/** An action of users or programs, with its relative frequency. */
export interface Deed {
  readonly name: string;
  readonly weight: number;
  /** True if its duration is intended, such as a long poll. */
  readonly slow?: boolean;
  readonly statuses: readonly number[];
  readonly act: (api: Api, things: Furniture, n: number) => Promise<Reply>;
}

/** The path of the table's records. */
export const ORDERS = "/api/v1/tables/orders/records";
/** The maximum number of remembered ids for later actions. */
const KNOWN_MAX = 1_000;

/** One of the ids, in rotation. */
export function at(ids: readonly string[], n: number): string {
  return ids[(n * 7_919) % ids.length] ?? "none";
}

/** Adds an id and removes the oldest. */
export function remember(ids: string[], id: string): void {
  ids.push(id);
  if (ids.length > KNOWN_MAX) ids.shift();
}
