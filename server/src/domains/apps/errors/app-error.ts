/** Errors that occurred in a deployed app. They are shown to builders, and are not part of the log. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Time } from "#kernel/schema/schema.ts";
import type { ResolvedComponent } from "../runtime/browser/page-state.ts";
import type { AppSession } from "../runtime/app-session.ts";

const MESSAGE_CHARACTERS_MAX = 300;
const ERRORS_MAX = 100;
const ERRORS_OF_PAGE_MAX = 10;
/**
 * The minimum interval per error and process, so that a page that fails for all users does not write for each of
 * them.
 */
const WRITE_EVERY_MS = 2_000;
const KEPT_MAX = 1_000;

export const AppError = Type.Object(
  {
    page: Type.String({ description: "Path of the page" }),
    componentId: Type.String({ description: "Id of the component. Empty for the page itself" }),
    message: Type.String(),
    count: Type.Integer({ description: "In this hour" }),
    firstAt: Time,
    lastAt: Time,
  },
  { title: "AppError" },
);
export type AppError = Static<typeof AppError>;

const LIST = `
  select page, component_id as "componentId", message, count, first_at as "firstAt", last_at as "lastAt"
    from app_errors
   where app_id = $1 and last_at > $2::timestamptz - interval '1 hour'
     and environment = current_setting('millrace.environment')::environment
   order by last_at desc, page, component_id limit ${ERRORS_MAX}`;

/** The errors of the last hour in this environment, newest first. The column names equal the field names. */
export async function listErrors(tx: Tx, appId: string, now: Date): Promise<AppError[]> {
  return queryRows<AppError>(tx, LIST, [appId, now]);
}

const UPSERT = `
  insert into app_errors (app_id, page, component_id, message, count, first_at, last_at)
  values ($1, $2, $3, $4, $5, $6, $6)
  on conflict (app_id, environment, page, component_id, message) do update
    set count = case when app_errors.last_at < excluded.last_at - interval '1 hour'
                     then excluded.count else app_errors.count + excluded.count end,
        first_at = case when app_errors.last_at < excluded.last_at - interval '1 hour'
                        then excluded.first_at else app_errors.first_at end,
        last_at = excluded.last_at`;

const FORGET = `
  delete from app_errors
   where app_id = $1 and (last_at < $2::timestamptz - interval '1 hour' or (page, component_id, message) in
         (select page, component_id, message from app_errors where app_id = $1
           order by last_at desc offset ${ERRORS_MAX}))`;

interface NewError {
  readonly componentId: string;
  readonly message: string;
}

/** The components of a page that could not be shown. */
export function findErrors(components: readonly ResolvedComponent[]): readonly NewError[] {
  return components.flatMap((component): readonly NewError[] => {
    if (component.type === "failed")
      return [{ componentId: component.id, message: component.error ?? "" }];
    if (component.type === "modal") return findErrors(component.components);
    if (component.type === "tabs")
      return component.tabs.flatMap(({ components: inner }) => findErrors(inner));
    if (component.type === "columns")
      return component.columns.flatMap(({ components: inner }) => findErrors(inner));
    return [];
  });
}

/** The number of errors not written yet, and the time of the last one. */
const kept = new Map<string, { count: number; writtenMs: number }>();

/** Records the errors of a page. The user has already seen them, so a failure to record them is ignored. */
export async function recordErrors(
  { platform, partition, served }: AppSession,
  page: string,
  errors: readonly NewError[],
): Promise<void> {
  const nowMs = platform.clock.nowMs();
  const due = errors.slice(0, ERRORS_OF_PAGE_MAX).flatMap(({ componentId, message: full }) => {
    const message = full.slice(0, MESSAGE_CHARACTERS_MAX);
    const key = JSON.stringify([partition, served.appId, page, componentId, message]);
    const entry = kept.get(key) ?? { count: 0, writtenMs: Number.NEGATIVE_INFINITY };
    entry.count += 1;
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(key, entry);
    if (nowMs - entry.writtenMs < WRITE_EVERY_MS) return [];
    const { count } = entry;
    kept.set(key, { count: 0, writtenMs: nowMs });
    return [[served.appId, page, componentId, message, count, new Date(nowMs)]];
  });
  if (due.length === 0) return;
  await platform.db.write(partition, async (session) => {
    for (const values of due) session.post(UPSERT, values);
    session.post(FORGET, [served.appId, new Date(nowMs)]);
  });
}
