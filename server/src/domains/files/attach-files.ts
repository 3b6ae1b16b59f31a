/** Attaches several files, for resources with lists of files: attached when added, released when removed. */
import { authorOf } from "#kernel/access/caller.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Attachment } from "./file-rows.ts";

/** How long a file is kept after it was removed from its resource. */
const RELEASED_MS = 30 * 24 * 3_600_000;

export interface FileAttachment {
  readonly fileId: string;
  readonly resource: Attachment;
}

export interface PresentFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly attachedId: string | null;
}

const SELECT = `
  select id, name, media_type as "mediaType", size::float8 as size, width, height, attached_id as "attachedId",
         created_by as "createdBy" from files`;

/** The files with these ids, without an access check. */
export async function readFiles(
  { tx }: Pick<ReadContext, "tx">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PresentFile>> {
  if (ids.length === 0) return new Map();
  const rows = await queryRows(tx, `${SELECT} where id = any($1::text[])`, [ids]);
  return new Map(rows.map((row) => [String(row["id"]), row as unknown as PresentFile]));
}

/**
 * Attaches each file to its resource, and returns the attached ones. Skips files that do not exist, belong to another
 * user or are attached elsewhere. A file that was removed from the same resource is restored.
 */
export async function attachFiles(
  ctx: Pick<WriteContext, "send" | "caller">,
  attachments: readonly FileAttachment[],
): Promise<ReadonlyMap<string, PresentFile>> {
  if (attachments.length === 0) return new Map();
  const rows = await ctx.send(
    `update files f set attached_type = a.type, attached_id = a.id, internal = false, expires_at = null,
            revision = f.revision + 1
       from unnest($1::text[], $2::text[], $3::text[]) as a (file_id, type, id)
      where f.id = a.file_id and ((f.attached_id is null and f.created_by = $4)
            or (f.attached_type = a.type and f.attached_id = a.id))
     returning f.id, f.name, f.media_type as "mediaType", f.size::float8 as size, f.width, f.height,
               f.attached_id as "attachedId"`,
    [
      attachments.map(({ fileId }) => fileId),
      attachments.map(({ resource }) => resource.type),
      attachments.map(({ resource }) => resource.id),
      authorOf(ctx.caller),
    ],
  );
  return new Map(rows.map((row) => [String(row["id"]), row as unknown as PresentFile]));
}

/** Lets files of a resource expire, or all of them if none are named. Until then they can be attached to it again. */
export async function releaseFiles(
  ctx: Pick<WriteContext, "send" | "now">,
  things: readonly {
    readonly type: string;
    readonly id: string;
    readonly fileIds?: readonly string[];
  }[],
): Promise<void> {
  const until = new Date(ctx.now.getTime() + RELEASED_MS);
  const whole = things.filter(({ fileIds }) => fileIds === undefined).map(({ id }) => id);
  const single = things.flatMap(({ fileIds = [] }) => fileIds);
  if (whole.length === 0 && single.length === 0) return;
  await ctx.send(
    `update files set expires_at = $1
      where attached_id = any($2::text[]) or (attached_id = any($3::text[]) and id = any($4::text[]))`,
    [until, whole, things.map(({ id }) => id), single],
  );
}
