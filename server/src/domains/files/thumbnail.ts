import Type from "typebox";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, failure, Unavailable } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { object } from "#kernel/schema/schema.ts";
import { fileContent, safeHeaders, type ServedContent } from "./content/serve.ts";
import { EXAMPLE_ID, FileId } from "./file.ts";
import { type OpenedFile, openFile } from "./open-file.ts";
import { FilesRead } from "./permissions.ts";
import { PICTURE_BYTES_MAX, PIXELS_MAX } from "./pictures/picture-limits.ts";
import { thumbnailer } from "./pictures/thumbnailer.ts";

export const NoThumbnail = failure("no_thumbnail", 404, "This file has no thumbnail.");

/** A few fixed sizes, so that each is created once. */
const EDGES = [96, 320, 960] as const;
export const Edge = Type.Enum([...EDGES], {
  description: "Maximum length of the longer side in pixels",
});

export const PICTURES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
]);
const MEDIA_TYPE = "image/webp";

/** The address of a file's thumbnail, next to the file's address. Null if there is none. */
export function thumbnailPath(path: string, mediaType: string): string | null {
  return PICTURES.has(mediaType) ? `${path}?edge=320` : null;
}

export const getThumbnail = query({
  id: "files.thumbnail",
  route: "GET /api/v1/files/{id}/thumbnail",
  summary: "Get a thumbnail of an image",
  description: `WebP, without camera metadata. Damaged images, and images with more than ${PIXELS_MAX / 1_000_000} million pixels, have no thumbnail.`,
  permission: FilesRead,
  params: object({ id: FileId }),
  query: object({ edge: Type.Optional(Edge) }),
  response: fileContent(MEDIA_TYPE),
  fails: [NoThumbnail, Unavailable],
  example: { params: { id: EXAMPLE_ID }, query: { edge: 320 } },
  async prepare(platform, { params: { id }, query: { edge = 320 } }, caller) {
    const opened = await openFile(platform, caller, id);
    return serveThumbnail(platform, partitionOfCaller(caller), { opened, edge });
  },
  run: async (_, __, served) => served,
});

/** The thumbnail of a file, created on the first request. */
export async function serveThumbnail(
  platform: Platform,
  partition: Partition,
  { opened, edge }: { readonly opened: OpenedFile; readonly edge: number },
): Promise<ServedContent> {
  const { file, row } = opened;
  const { width, height, size, mediaType } = file;
  const isTooLarge = size > PICTURE_BYTES_MAX || (width ?? 0) * (height ?? 0) > PIXELS_MAX;
  if (!PICTURES.has(mediaType) || isTooLarge) throw new Failure(NoThumbnail);
  const known = await platform.db.read(partition, (tx) =>
    queryRows(tx, "select bytes from thumbnails where blob_id = $1 and edge = $2", [
      row.blob_id,
      edge,
    ]),
  );
  const bytes =
    (known[0]?.["bytes"] as Buffer | undefined) ??
    (await makeThumbnail(platform, partition, { opened, edge }));
  return {
    isPartial: false,
    chunks: toStream(bytes),
    headers: {
      ...safeHeaders(MEDIA_TYPE),
      etag: `"${file.sha256.slice(0, 32)}-${edge}"`,
      "content-length": String(bytes.length),
      "content-disposition": "inline",
    },
  };
}

async function makeThumbnail(
  platform: Platform,
  partition: Partition,
  { opened, edge }: { readonly opened: OpenedFile; readonly edge: number },
): Promise<Uint8Array> {
  const made = await thumbnailer.shrink(partition.workspace, {
    read: async () => Buffer.concat(await Array.fromAsync(opened.read())),
    edge,
  });
  if (made === "busy") throw new Failure(Unavailable, { headers: { "retry-after": "2" } });
  if (made === "unreadable") throw new Failure(NoThumbnail);
  await platform.db.write(partition, (session) =>
    session.send(
      `insert into thumbnails (blob_id, edge, bytes)
       select id, $2, $3 from blobs where id = $1 on conflict do nothing`,
      [opened.row.blob_id, edge, Buffer.from(made)],
    ),
  );
  return made;
}

async function* toStream(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
