import type { Export } from "./export.ts";
import type { StoredExport } from "./store.ts";

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 7;

/** When an export is deleted that has ended at a time. */
export function expiryAfter(at: Date): Date {
  return new Date(at.getTime() + RETENTION_DAYS * DAY_MS);
}

/** What events name it by. */
export function referTo({ id, name }: Export) {
  return { id, displayName: name };
}

/** What events tell of it. */
export function shownOf(stored: StoredExport): Export {
  const { content: _, chunks: _c, position: _p, form: _f, ...rest } = stored;
  const { runAs: _r, permissions: _s, revision: _v, ...shown } = rest;
  // Without its revision, which no event has.
  return shown as Export;
}
