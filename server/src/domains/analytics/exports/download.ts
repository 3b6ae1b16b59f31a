import { findRights } from "#domains/identity/accounts/index.ts";
import Type from "typebox";
import { authorOf, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { equalBytes, hmac, type MasterKey } from "#kernel/access/crypto.ts";
import type { EnvironmentName } from "#kernel/db/partition.ts";
import { parseByteRange, RangeNotSatisfiable, rangeHeaders } from "#kernel/operation/byte-range.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { type Download, item, resumableDownload } from "#kernel/operation/response.ts";
import { object, Time } from "#kernel/schema/schema.ts";
import { AnalyticsRead } from "../permissions.ts";
import { assertMaySee } from "../reports/source.ts";
import { ExportId, ExportNotReady } from "./export.ts";
import { FILE_FORMATS, MEDIA_TYPES } from "./file/formats.ts";
import { visibleOwner } from "./service.ts";
import * as store from "./store.ts";

/** Download URLs are signed, valid for one file and a limited time, and need no other credential. */

const PURPOSE = "signatures of download addresses";

/** The content of a download address. */
interface DownloadToken {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly exportId: string;
  readonly untilMs: number;
  /** The user who received the URL; it becomes invalid when they leave. */
  readonly userId: string;
}

function signDownloadToken(key: MasterKey, link: DownloadToken): string {
  const { workspace, environment, exportId, untilMs, userId } = link;
  const text = Buffer.from(JSON.stringify([workspace, environment, exportId, untilMs, userId]));
  const payload = text.toString("base64url");
  return `${payload}.${sign(key, payload).toString("base64url")}`;
}

/** Undefined if the token is invalid or expired. */
function verifyDownloadToken(
  key: MasterKey,
  token: string,
  nowMs: number,
): DownloadToken | undefined {
  const [payload = "", signature = ""] = token.split(".");
  // Compared as texts: the last base64 character has bits that the bytes do not contain.
  const expected = sign(key, payload).toString("base64url");
  if (!equalBytes(Buffer.from(expected), Buffer.from(signature))) return undefined;
  // Only data signed by this server gets here.
  const [workspace, environment, exportId, untilMs, userId] = JSON.parse(
    Buffer.from(payload, "base64url").toString(),
  ) as [string, EnvironmentName, string, number, string];
  return nowMs < untilMs ? { workspace, environment, exportId, untilMs, userId } : undefined;
}

function sign(key: MasterKey, payload: string): Buffer {
  return hmac(key.derive(PURPOSE), payload);
}

const LINK_MS = 15 * 60_000;

export const linkExport = query({
  id: "exports.download",
  route: "GET /api/v1/analytics/exports/{id}/download",
  summary: "Create a download URL for an export",
  description:
    "Anyone with the URL can download the file for 15 minutes. You need the permissions for the exported data.",
  permission: AnalyticsRead,
  params: object({ id: ExportId }),
  response: item(
    Type.Object({ url: Type.String({ format: "uri" }), expiresAt: Time }, { title: "ExportLink" }),
  ),
  fails: [ExportNotReady],
  example: { params: { id: "exp_01jd0000000000000000000000" } },
  async run({ tx, services, caller }, { params: { id } }) {
    const { status, source } = await store.get(tx, id, visibleOwner(caller));
    assertMaySee({ platform: services, caller }, source);
    if (status !== "completed")
      throw new Failure(ExportNotReady, { detail: `The export is ${status}.` });
    const untilMs = services.clock.nowMs() + LINK_MS;
    const { workspace, environment } = partitionOfCaller(caller);
    const token = signDownloadToken(services.masterKey, {
      workspace,
      environment,
      exportId: id,
      untilMs,
      userId: authorOf(caller),
    });
    return {
      url: `${caller.origin}/downloads/${token}`,
      expiresAt: new Date(untilMs).toISOString(),
    };
  },
});

export const downloadFile = query({
  id: "exports.file",
  route: "GET /downloads/{token}",
  summary: "Download an exported file",
  description:
    "Uses a URL from `exports.download`. Continue an interrupted download with `Range: bytes=<from>-`; the file never changes.",
  access: "public",
  readsRequest: true,
  params: object({
    token: Type.String({ pattern: "^[A-Za-z0-9_-]{1,400}\\.[A-Za-z0-9_-]{43}$" }),
  }),
  response: resumableDownload(MEDIA_TYPES),
  fails: [NotFound, RangeNotSatisfiable],
  example: { params: { token: `${"A".repeat(120)}.${"A".repeat(43)}` } },
  async prepare(platform, { params: { token } }, { request }): Promise<Download> {
    const link = verifyDownloadToken(platform.masterKey, token, platform.clock.nowMs());
    if (!link || !(await findRights(platform, link.workspace, { runAs: link.userId }))) {
      throw new Failure(NotFound, { detail: "The URL is invalid or expired." });
    }
    const found = await platform.db.read(link, (tx) => store.find(tx, link.exportId));
    if (found?.status !== "completed" || Date.parse(found.expiresAt) <= platform.clock.nowMs()) {
      throw new Failure(NotFound, { detail: "The file was deleted." });
    }
    const { id, name, format, bytes } = found;
    const etag = `"${id}"`;
    const asked = { range: request?.headers["range"], ifRange: request?.headers["if-range"] };
    const range = parseByteRange(asked, { bytes, etag });
    const { from, to } = range ?? { from: 0, to: bytes };
    return {
      mediaType: FILE_FORMATS[format].mediaType,
      fileName: `${name}.${format}`,
      chunks: readBytes(platform, link, from, to),
      partial: range !== undefined,
      headers: {
        ...rangeHeaders(range, { bytes, etag }),
        "cache-control": "private, no-store",
      },
    };
  },
  run: async (_, __, file) => file,
});

/** Reads one chunk at a time, without holding a database connection in between. */
async function* readBytes(
  { db, shutdown: ending }: Platform,
  link: DownloadToken,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  let at = from;
  while (at < to) {
    // An error tells the client that the file is incomplete.
    if (ending.aborted) throw new Error("The server ends, and the file with it.");
    const byte = at;
    const chunk = await db.read(link, (tx) => store.chunkAt(tx, link.exportId, byte));
    const bytes = chunk?.bytes.subarray(at - chunk.start, to - chunk.start);
    if (!bytes || bytes.length === 0) throw new Error("A chunk of the file is gone.");
    yield bytes;
    at += bytes.length;
  }
}
