/** The appearance of a workspace's portal: its title, a greeting, a color and an image. */
import Type, { type Static } from "typebox";
import {
  attachFile,
  FileAttached,
  fileContent,
  FileId,
  NotAttachable,
  openPartitionFile,
  serveFile,
} from "#domains/files/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Accent, isReadable, lightenForDark, UNREADABLE } from "#kernel/html/colour.ts";
import { changeEvent, diffResource } from "#kernel/log/event.ts";
import { RangeNotSatisfiable } from "#kernel/operation/byte-range.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, nullable, patch, text } from "#kernel/schema/schema.ts";
import { PortalUse, PortalWrite } from "./permissions.ts";

const PATH = "/api/v1/portal/settings";

const PICTURE = /^image\/(png|jpeg|webp)$/;

const lookFields = {
  title: nullable(line(100, "Title of the portal. Default: name of the workspace")),
  greeting: nullable(text(500, "Text below the title")),
  accent: nullable(Accent),
  logoFileId: nullable(FileId),
};

export const PortalLook = Type.Object(
  {
    ...lookFields,
    accentDark: nullable(
      Type.String({ description: "Lighter shade of the colour for the dark theme" }),
    ),
  },
  { title: "PortalLook" },
);
export type PortalLook = Static<typeof PortalLook> & { readonly revision: number };

export const PortalLookUpdated = changeEvent("portal_settings.updated", {
  resource: "portal_settings",
  summary: "The appearance of the portal was changed.",
  data: PortalLook,
});

/** Reads the appearance of the portal. */
export async function readLook(tx: Tx): Promise<PortalLook> {
  const [row] = await queryRows<Omit<PortalLook, "accentDark">>(
    tx,
    'select title, greeting, accent, logo_file_id as "logoFileId", revision from portal_settings',
    [],
  );
  const found = row;
  const none = { title: null, greeting: null, accent: null, logoFileId: null, revision: 0 };
  return withDark({ ...none, ...found });
}

function withDark(look: Omit<PortalLook, "accentDark">): PortalLook {
  return { ...look, accentDark: look.accent === null ? null : lightenForDark(look.accent) };
}

export const getLook = query({
  id: "portal.get_settings",
  route: `GET ${PATH}`,
  summary: "Get the portal settings",
  permission: PortalUse,
  environmentScoped: false,
  response: item(PortalLook),
  run: ({ tx }) => readLook(tx),
});

const SAVE = `
  insert into portal_settings (title, greeting, accent, logo_file_id, revision, updated_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (workspace_id) do update
     set title = excluded.title, greeting = excluded.greeting, accent = excluded.accent,
         logo_file_id = excluded.logo_file_id, revision = excluded.revision,
         updated_at = excluded.updated_at`;

export const updateLook = command({
  id: "portal.update_settings",
  effect: "ordinary",
  route: `PATCH ${PATH}`,
  summary: "Update the portal settings",
  description:
    "The colour must have a contrast of 4.5 to 1 with white (422 otherwise). The logo must be a file that you uploaded.",
  permission: PortalWrite,
  environmentScoped: false,
  body: patch(lookFields),
  response: item(PortalLook),
  emits: [PortalLookUpdated],
  fails: [NotAttachable, FileAttached],
  allowNoop: true,
  example: { body: { title: "Help at Lind", accent: "#0b5d4d" } },
  async run(ctx, { body }) {
    // The first change has no row to lock, and concurrent first changes must be serialized too.
    await ctx.send("select pg_advisory_xact_lock(hashtext('portal_settings' || $1))", [
      ctx.workspace.key,
    ]);
    const before = await readLook(ctx.tx);
    ctx.expectRevision(before.revision);
    const accent = body.accent?.toLowerCase();
    if (accent !== undefined && !isReadable(accent)) {
      throw invalidField("/accent", UNREADABLE);
    }
    const after = withDark({ ...before, ...body, ...(accent !== undefined && { accent }) });
    const change = diffResource(toData(before), toData(after));
    if (change.changes.length === 0) return before;
    const { title, greeting, logoFileId } = after;
    if (typeof body.logoFileId === "string" && body.logoFileId !== before.logoFileId) {
      const resource = { type: "portal_settings", id: ctx.workspace.id };
      const { mediaType } = await attachFile(ctx, { fileId: body.logoFileId, resource });
      if (!PICTURE.test(mediaType))
        throw invalidField("/logoFileId", "must be a PNG, JPEG or WebP");
    }
    const updated = { ...after, revision: before.revision + 1 };
    await ctx.send(SAVE, [title, greeting, after.accent, logoFileId, updated.revision, ctx.now]);
    ctx.emit(PortalLookUpdated, { id: ctx.workspace.id }, change);
    return updated;
  },
});

function toData({ revision: _, ...data }: PortalLook): Static<typeof PortalLook> {
  return data;
}

export const getLogo = query({
  id: "portal.get_logo",
  route: "GET /api/v1/portal/logo",
  summary: "Get the logo of the portal",
  permission: PortalUse,
  environmentScoped: false,
  readsRange: true,
  response: fileContent("image/*"),
  fails: [RangeNotSatisfiable],
  async prepare(platform, _input, caller) {
    const partition = partitionOfCaller(caller);
    const { logoFileId } = await platform.db.read(partition, readLook);
    if (logoFileId === null) throw new Failure(NotFound);
    return openPartitionFile(platform, partition, logoFileId);
  },
  run: async ({ caller }, _input, opened) => serveFile(opened, caller.conditions ?? {}),
});
