import Type from "typebox";
import { operatorAccess } from "#domains/installation/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, Invalid, NotFound } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { newId, timeOfId } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  ARCHIVE_BYTES_MAX,
  ArchiveImport,
  getImport,
  ImportId,
  ImportWrongState,
  PART_BYTES_MAX,
  PartTooLarge,
  WrongOffset,
} from "./archive-import.ts";

/** A conditional request never matches it. */
const NO_REVISION = -1;

/** A stored part that is not part of the upload yet. */
interface StoredPart {
  readonly object: string;
  readonly bytes: number;
}

export const uploadPart = command({
  id: "archive_imports.upload",
  route: "PUT /api/v1/installation/imports/{id}/content",
  summary: "Upload a part of an archive",
  description:
    "The body is a part of at most 64 MiB that starts at `at`, which must be the current `receivedBytes`. An interrupted part is not stored: send it again. You can continue an upload later and from another machine. Parts append no events. Unused uploads are deleted after one day.",
  ...operatorAccess,
  params: object({ id: ImportId }),
  query: object({ at: Type.Integer({ minimum: 0, maximum: ARCHIVE_BYTES_MAX }) }),
  streamsBody: true,
  ephemeral: true,
  response: item(ArchiveImport),
  emits: [],
  fails: [ImportWrongState, WrongOffset, PartTooLarge],
  example: { params: { id: "arc_01jd0000000000000000000000" }, query: { at: 0 } },
  prepare: (platform, { params, query: { at } }, caller) =>
    storePart(platform, caller, { id: params.id, at }),
  async run(ctx, { params: { id }, query: { at } }, part) {
    const [row] = await ctx.send<{ received: number; bytes: number; state: string }>(
      `select received_bytes::float8 as received, bytes::float8 as bytes, state
         from archive_imports where id = $1 for update`,
      [id],
    );
    if (!row) throw new Failure(NotFound);
    // An upload has an offset instead of revisions.
    ctx.expectRevision(NO_REVISION);
    if (row.state !== "receiving") throw new Failure(ImportWrongState);
    if (row.received !== at) throw wrongOffset(row.received);
    const received = at + part.bytes;
    void ctx.send("update archive_parts set position = $2, bytes = $3 where object = $1", [
      part.object,
      at,
      part.bytes,
    ]);
    const [updated] = await ctx.send<ArchiveImport & Record<string, unknown>>(
      `update archive_imports set received_bytes = $2, updated_at = $3,
              state = case when bytes = $2 then 'received' else state end
        where id = $1
        returning id, state, task, error, file_name as "fileName", slug, bytes::float8 as bytes,
                  received_bytes::float8 as "receivedBytes", read_bytes::float8 as "readBytes", summary,
                  created_at as "createdAt", updated_at as "updatedAt"`,
      [id, received, ctx.now],
    );
    if (!updated) throw new Failure(NotFound);
    return updated;
  },
});

function wrongOffset(received: number): Failure {
  return new Failure(WrongOffset, { detail: `${received} bytes were received so far.` });
}

/** A row announces the object, the bytes are stored, and the following transaction adds it as a part. */
async function storePart(
  platform: Platform,
  { upload }: Caller,
  { id, at }: { readonly id: string; readonly at: number },
): Promise<StoredPart> {
  const { db, blobStores, clock, homeWorkspace, log } = platform;
  if (!upload) throw new Failure(Invalid, { detail: "The body must be a part of the archive." });
  const { state, receivedBytes, bytes } = await getImport(db, id);
  if (state !== "receiving") throw new Failure(ImportWrongState);
  if (receivedBytes !== at) throw wrongOffset(receivedBytes);
  const room = Math.min(PART_BYTES_MAX, bytes - at);
  if ((upload.length ?? 0) > room) throw tooLarge(room);
  await removeBroken(platform, id);
  const { place } = blobStores;
  const object = `archives/${id}/${newId("prt", clock.nowMs())}`;
  await db.write({ workspace: homeWorkspace, environment: "production" }, async (session) => {
    session.post("insert into archive_parts (object, import_id, place) values ($1, $2, $3)", [
      object,
      id,
      place,
    ]);
  });
  const meter = { bytes: 0 };
  try {
    await blobStores.at(place).put(object, limitBytes(upload.content, room, meter));
    if (meter.bytes === 0) throw new Failure(Invalid, { detail: "The part is empty." });
  } catch (error) {
    await removePart({ db, blobStores, homeWorkspace }, { object, place }).catch((cause: unknown) =>
      log.warn({ err: cause, object }, "an interrupted part of an archive will be overwritten"),
    );
    throw error;
  }
  return { object, bytes: meter.bytes };
}

/** No request takes this long: an older unregistered part belongs to a killed process. */
const BROKEN_MS = 3_600_000;

/** Deletes parts of an archive left by killed processes. */
async function removeBroken(platform: Platform, importId: string): Promise<void> {
  const { db, clock } = platform;
  const open = await db.system<{ object: string; place: string }>(
    "select object, place from archive_parts where import_id = $1 and position is null",
    [importId],
  );
  for (const part of open) {
    const id = part.object.slice(part.object.lastIndexOf("/") + 1);
    if (timeOfId(id) < clock.nowMs() - BROKEN_MS) await removePart(platform, part);
  }
}

async function removePart(
  { db, blobStores, homeWorkspace }: Pick<Platform, "db" | "blobStores" | "homeWorkspace">,
  { object, place }: { readonly object: string; readonly place: string },
): Promise<void> {
  await blobStores.at(place).remove(object);
  await db.write({ workspace: homeWorkspace, environment: "production" }, async (session) => {
    session.post("delete from archive_parts where object = $1 and position is null", [object]);
  });
}

async function* limitBytes(
  content: AsyncIterable<Uint8Array>,
  room: number,
  meter: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    meter.bytes += chunk.length;
    if (meter.bytes > room) throw tooLarge(room);
    yield chunk;
  }
}

function tooLarge(room: number): Failure {
  return new Failure(PartTooLarge, { detail: `Only ${room} bytes are available.` });
}
