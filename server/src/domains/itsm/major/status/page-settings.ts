/** Whether a workspace has a status page, and its title. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { changeEvent, diffResource } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, patch, text, Time } from "#kernel/schema/schema.ts";
import { StatusRead, StatusWrite } from "./permissions.ts";

const PATH = "/api/v1/itsm/status-page";

const fields = {
  isOn: Type.Boolean({ description: "Whether the page is public" }),
  title: line(100, "Heading of the page"),
  about: text(500, "Shown below the heading"),
};

const StatusPage = Type.Object(
  {
    ...fields,
    path: Type.String({ description: "URL of the page" }),
    updatedAt: Type.Optional(Time),
  },
  { title: "StatusPage" },
);
type PageData = Omit<Static<typeof StatusPage>, "path">;
export type PageSettings = PageData & { readonly revision: number };

const DEFAULT: PageSettings = { isOn: false, title: "Status", about: "", revision: 0 };

export const StatusPageUpdated = changeEvent("audit.status_page.updated", {
  resource: "status_page",
  summary: "The status page was enabled, disabled or renamed.",
  data: Type.Object({ ...fields, updatedAt: Type.Optional(Time) }),
});

/** Reads the settings of the status page. Inactive by default. */
export async function readPageSettings(tx: Tx): Promise<PageSettings> {
  const row = await tx.selectFrom("status_pages").selectAll().executeTakeFirst();
  if (!row) return DEFAULT;
  const { is_on: isOn, title, about, revision, updated_at: updatedAt } = row;
  return { isOn, title, about, revision, updatedAt };
}

const SLUG = "select slug from workspaces where key = current_setting('millrace.workspace')::uuid";

async function readPath(tx: Tx): Promise<string> {
  const [row] = await queryRows(tx, SLUG, []);
  return `/status/${String(row?.["slug"])}`;
}

export const getStatusPage = query({
  id: "status_page.get",
  route: `GET ${PATH}`,
  summary: "Get the settings of the status page",
  permission: StatusRead,
  response: item(StatusPage),
  run: async ({ tx }) => ({ ...(await readPageSettings(tx)), path: await readPath(tx) }),
});

const SAVE = `
  insert into status_pages (is_on, title, about, revision, updated_at) values ($1, $2, $3, $4, $5)
  on conflict (workspace_id, environment) do update
     set is_on = excluded.is_on, title = excluded.title, about = excluded.about,
         revision = excluded.revision, updated_at = excluded.updated_at`;

export const updateStatusPage = command({
  id: "status_page.update",
  effect: "drastic",
  route: `PATCH ${PATH}`,
  summary: "Update the settings of the status page",
  description:
    "The page is at `/status/{workspace}` and can be read without signing in. It shows components and the messages that were broadcast to the page. Other incident data is not shown. Only incidents and components of production are shown.",
  permission: StatusWrite,
  body: patch(fields),
  response: item(StatusPage),
  emits: [StatusPageUpdated],
  allowNoop: true,
  example: { body: { isOn: true, title: "Mill & Race status" } },
  async run(ctx, { body }) {
    // The first change has no row to lock, but concurrent changes must be serialised.
    await ctx.send("select pg_advisory_xact_lock(hashtext('status_page' || $1))", [
      ctx.workspace.key,
    ]);
    const before = await readPageSettings(ctx.tx);
    ctx.expectRevision(before.revision);
    const path = await readPath(ctx.tx);
    const after = { ...before, ...body };
    if (diffResource(before, after).changes.length === 0) return { ...before, path };
    const updatedAt = ctx.now.toISOString();
    const updated = { ...after, updatedAt, revision: before.revision + 1 };
    const { isOn, title, about, revision } = updated;
    await ctx.send(SAVE, [isOn, title, about, revision, ctx.now]);
    const change = diffResource(toData(before), toData(updated));
    ctx.emit(StatusPageUpdated, { id: ctx.workspace.id }, change);
    return { ...updated, path };
  },
});

function toData({ revision: _, ...data }: PageSettings): PageData {
  return data;
}
