/** Signed addresses of files: valid for everyone for a limited time, while their creator is a member. */
import Type from "typebox";
import { findRights } from "#domains/identity/accounts/index.ts";
import { authorOf, type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { equalBytes, hmac, type MasterKey } from "#kernel/access/crypto.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/partition.ts";
import { RangeNotSatisfiable } from "#kernel/operation/byte-range.ts";
import { Failure, NotFound, Unavailable } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object, Time } from "#kernel/schema/schema.ts";
import { fileContent, serveFile } from "./content/serve.ts";
import { EXAMPLE_ID, FileId } from "./file.ts";
import { getReadableRow, openPartitionFile } from "./open-file.ts";
import { FilesRead } from "./permissions.ts";
import { Edge, NoThumbnail, serveThumbnail } from "./thumbnail.ts";

const PURPOSE = "signatures of file addresses";
const LINK_SECONDS = 15 * 60;
const LINK_SECONDS_MAX = 24 * 3_600;

interface FileLink {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly fileId: string;
  readonly untilMs: number;
  readonly userId: string;
}

function signLink(key: MasterKey, link: FileLink): string {
  const { workspace, environment, fileId, untilMs, userId } = link;
  const payload = Buffer.from(
    JSON.stringify([workspace, environment, fileId, untilMs, userId]),
  ).toString("base64url");
  return `${payload}.${sign(key, payload)}`;
}

/** Undefined if it is invalid or expired. */
function verifyLink(key: MasterKey, token: string, nowMs: number): FileLink | undefined {
  const [payload = "", signature = ""] = token.split(".");
  if (!equalBytes(Buffer.from(sign(key, payload)), Buffer.from(signature))) return undefined;
  // The signature was verified, so the format is known.
  const [workspace, environment, fileId, untilMs, userId] = JSON.parse(
    Buffer.from(payload, "base64url").toString(),
  ) as [string, EnvironmentName, string, number, string];
  return nowMs < untilMs ? { workspace, environment, fileId, untilMs, userId } : undefined;
}

function sign(key: MasterKey, payload: string): string {
  return hmac(key.derive(PURPOSE), payload).toString("base64url");
}

/** The path of an address for a file. The caller's access must be checked before. */
export function linkPath(
  { masterKey, clock }: Pick<PlatformServices, "masterKey" | "clock">,
  caller: Caller,
  {
    fileId,
    untilMs = clock.nowMs() + LINK_SECONDS * 1_000,
  }: { readonly fileId: string; readonly untilMs?: number },
): string {
  const { workspace, environment } = partitionOfCaller(caller);
  const link = { workspace, environment, fileId, untilMs, userId: authorOf(caller) };
  return `/files/${signLink(masterKey, link)}`;
}

export const createLink = query({
  id: "files.create_link",
  route: "GET /api/v1/files/{id}/link",
  summary: "Create a temporary download URL",
  description:
    "Anyone with the URL can read the file without a credential. Use it for browsers, which can't send headers for images, or to share the file once. The URL becomes invalid early if its creator leaves the workspace or the file is deleted.",
  permission: FilesRead,
  params: object({ id: FileId }),
  query: object({
    expiresIn: Type.Integer({
      minimum: 1,
      maximum: LINK_SECONDS_MAX,
      default: LINK_SECONDS,
      description: "Validity in seconds",
    }),
  }),
  response: item(
    Type.Object({ url: Type.String({ format: "uri" }), expiresAt: Time }, { title: "FileLink" }),
  ),
  example: { params: { id: EXAMPLE_ID }, query: { expiresIn: 900 } },
  async run(ctx, { params: { id }, query: { expiresIn } }) {
    await getReadableRow(ctx, id);
    const untilMs = ctx.services.clock.nowMs() + expiresIn * 1_000;
    return {
      url: `${ctx.caller.origin}${linkPath(ctx.services, ctx.caller, { fileId: id, untilMs })}`,
      expiresAt: new Date(untilMs).toISOString(),
    };
  },
});

export const openLink = query({
  id: "files.open_link",
  route: "GET /files/{token}",
  summary: "Download a file by its temporary URL",
  description: "Uses a URL from `files.create_link`. `edge` returns a thumbnail of an image.",
  access: "public",
  readsRange: true,
  params: object({
    token: Type.String({ pattern: "^[A-Za-z0-9_-]{1,400}\\.[A-Za-z0-9_-]{43}$" }),
  }),
  query: object({
    edge: Type.Optional(Edge),
    download: Type.Optional(Type.Boolean({ description: "Always downloads the file" })),
  }),
  response: fileContent("application/octet-stream"),
  fails: [NotFound, NoThumbnail, RangeNotSatisfiable, Unavailable],
  example: { params: { token: `${"A".repeat(120)}.${"A".repeat(43)}` } },
  async prepare(platform, { params: { token }, query: { edge, download = false } }, caller) {
    const link = verifyLink(platform.masterKey, token, platform.clock.nowMs());
    if (!link || !(await findRights(platform, link.workspace, { runAs: link.userId }))) {
      throw new Failure(NotFound, { detail: "The URL is invalid or expired." });
    }
    const opened = await openPartitionFile(platform, link, link.fileId);
    if (edge !== undefined) return serveThumbnail(platform, link, { opened, edge });
    return serveFile(opened, caller.conditions ?? {}, { asAttachment: download });
  },
  run: async (_, __, served) => served,
});
