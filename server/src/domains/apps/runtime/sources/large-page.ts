/** Limits pages with many rows. Holding several of them in memory makes garbage collection block the event loop. */
import type { Platform } from "#kernel/contract.ts";
import { FairShare } from "#kernel/work/fair-share.ts";
import type { PlacedComponent } from "../../definition/component.ts";
import type { AppSession } from "../app-session.ts";
import { PAGE_SIZE } from "./table-page.ts";

/** A page of more rows is large: ten tables of a hundred. */
const ROWS_MAX = 1_000;
/** The assumed rows of a component that is not a table; its source has its own limit. */
const OTHER_ROWS = 100;
/** The limit for all workspaces together. */
const AT_ONCE_MAX = 4;

const shares = new WeakMap<Platform["db"], FairShare>();

/** Runs work on a page: immediately, or after other large pages of its workspace. */
export function runPage<T>(
  { platform: { db }, partition }: AppSession,
  components: readonly PlacedComponent[],
  work: () => Promise<T>,
): Promise<T> {
  if (countRows(components) <= ROWS_MAX) return work();
  const share = shares.get(db) ?? new FairShare(AT_ONCE_MAX, 1);
  shares.set(db, share);
  return share.run(partition.workspace, work);
}

/** The maximum number of rows that the components of a page show. */
function countRows(components: readonly PlacedComponent[]): number {
  const counts = components.map(({ component: { type, dataSource, pageSize } }) => {
    if (dataSource === undefined) return 0;
    return type === "table" ? Number(pageSize ?? PAGE_SIZE) : OTHER_ROWS;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
