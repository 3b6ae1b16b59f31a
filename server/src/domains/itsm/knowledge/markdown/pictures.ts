/**
 * Files of articles: `![The dialog](file_…)` and `[The form](file_…)` in a body reference uploads,
 * which become files of the article.
 */
import { attachFile, findFileRow, linkPath } from "#domains/files/index.ts";
import { authorOf, type Caller } from "#kernel/access/caller.ts";
import type { FileOwner } from "#kernel/contributions/file-owner.ts";
import type { PlatformServices, ReadContext, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";

const TYPE = "article";
const FILE_ID = /\bfile_[0-9a-hjkmnp-tv-z]{26}\b/g;
const PICTURES_MAX = 100;

/** Attaches the caller's uploads referenced in the body. Ignores other files. */
export async function attachPictures(
  ctx: WriteContext<never>,
  articleId: string,
  body: string,
): Promise<void> {
  const named = [...new Set(body.match(FILE_ID))].slice(0, PICTURES_MAX);
  for (const fileId of named) {
    const row = await findFileRow(ctx, fileId);
    const isOwn = row?.created_by === authorOf(ctx.caller) && row.attached_id === null;
    if (isOwn) await attachFile(ctx, { fileId, resource: { type: TYPE, id: articleId } });
  }
}

/** The ids of an article's files. */
export async function findPictureIds(tx: Tx, articleId: string): Promise<ReadonlySet<string>> {
  const text = "select id from files where attached_id = $1 and attached_type = $2";
  const rows = await queryRows(tx, text, [articleId, TYPE]);
  return new Set(rows.map(({ id }) => String(id)));
}

/** The ids of files in an unsaved body that its author can see. */
export async function findShownIds(
  tx: Tx,
  caller: Caller,
  body: string,
): Promise<ReadonlySet<string>> {
  const named = [...new Set(body.match(FILE_ID))].slice(0, PICTURES_MAX);
  if (named.length === 0) return new Set();
  const text = `
    select id from files
     where id = any($1::text[])
       and (attached_type = $2 or (attached_id is null and created_by = $3))`;
  const rows = await queryRows(tx, text, [named, TYPE, authorOf(caller)]);
  return new Set(rows.map(({ id }) => String(id)));
}

/** Signed URLs stay the same for this time, so that browsers can cache images. */
const STABLE_MS = 1_800_000;

/** Replaces file references in rendered HTML by URLs that a browser can read. */
export function linkFiles(
  html: string,
  ids: ReadonlySet<string>,
  { services, caller }: { readonly services: PlatformServices; readonly caller: Caller },
): string {
  const untilMs = (Math.floor(services.clock.nowMs() / STABLE_MS) + 2) * STABLE_MS;
  return html.replaceAll(
    / (src|href)="(file_[0-9a-z]{26})"/g,
    (whole, attribute: string, fileId: string) =>
      ids.has(fileId)
        ? ` ${attribute}="${linkPath(services, caller, { fileId, untilMs })}"`
        : whole,
  );
}

/** Files of an article are readable by readers of the article. */
export function articleFileOwner(
  read: (ctx: ReadContext, articleId: string) => Promise<unknown>,
): FileOwner {
  return {
    type: TYPE,
    canRead: async (ctx, { attachedId }) =>
      read(ctx, attachedId).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Failure && error.type === NotFound) return false;
          throw error;
        },
      ),
  };
}
