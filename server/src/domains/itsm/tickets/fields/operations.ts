import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import { changeEvent, diffResource } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { TICKET_KINDS, type TicketKindName } from "../kind.ts";
import { DeskRead, DeskWrite } from "../settings.ts";
import { type FieldDefinition, FieldDefinitions, fieldsSchema } from "./field.ts";

const PATH = "/api/v1/itsm/kinds/{kind}";

const Kind = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    fields: FieldDefinitions,
    schema: Type.Record(Type.String(), Type.Unknown(), {
      description: "JSON Schema of `fields` in the create and update operations, for forms",
    }),
  },
  { title: "TicketKind" },
);
const KindData = Type.Object(
  { kind: Kind.properties.kind, fields: FieldDefinitions },
  { title: "TicketKindData" },
);

export const KindUpdated = changeEvent("audit.ticket_kind.updated", {
  resource: "ticket_kind",
  summary: "The custom fields of a ticket kind were changed.",
  data: KindData,
});

const params = object({ kind: Kind.properties.kind });
const example = { params: { kind: "incident" as const } };

export const getKind = query({
  id: "desk.get_kind",
  route: `GET ${PATH}`,
  summary: "Get the custom fields of a ticket kind",
  permission: DeskRead,
  params,
  response: item(Kind),
  example,
  run: async ({ tx }, { params: { kind } }) => toKind(kind, await readRow(tx, kind)),
});

export const updateKind = command({
  id: "desk.update_kind",
  effect: "ordinary",
  route: `PATCH ${PATH}`,
  summary: "Set the custom fields of a ticket kind",
  description:
    "`fields` replaces all custom fields. They are immediately available for create and update, filters, sorting, SLA conditions, search and events. The type of a field can't be changed. Tickets keep the values of removed fields, but these can no longer be set.",
  permission: DeskWrite,
  params,
  body: object({ fields: FieldDefinitions }),
  response: item(Kind),
  emits: [KindUpdated],
  allowNoop: true,
  example: {
    ...example,
    body: { fields: [{ key: "floor", name: "Floor", type: "choice", choices: ["1", "2"] }] },
  },
  async run(ctx, { params: { kind }, body: { fields } }) {
    await ctx.send("select pg_advisory_xact_lock(hashtext('ticket_fields' || $1))", [
      ctx.workspace.key,
    ]);
    const before = await readRow(ctx.tx, kind);
    ctx.expectRevision(before.revision);
    assertSound(fields, before.fields);
    const change = diffResource({ kind, fields: [...before.fields] }, { kind, fields });
    if (change.changes.length === 0) return toKind(kind, before);
    const after = { fields, revision: before.revision + 1 };
    await ctx.send(SAVE, [kind, JSON.stringify(fields), after.revision, ctx.now]);
    ctx.emit(KindUpdated, { id: ctx.workspace.id, displayName: kind }, change);
    return toKind(kind, after);
  },
});

const SAVE = `
  insert into ticket_fields (kind, fields, revision, updated_at) values ($1, $2, $3, $4)
  on conflict (workspace_id, kind) do update
     set fields = excluded.fields, revision = excluded.revision, updated_at = excluded.updated_at`;

interface StoredKind {
  readonly fields: readonly FieldDefinition[];
  readonly revision: number;
}

async function readRow(tx: WriteContext["tx"], kind: TicketKindName): Promise<StoredKind> {
  const row = await tx
    .selectFrom("ticket_fields")
    .select(["fields", "revision"])
    .where("kind", "=", kind)
    .executeTakeFirst();
  if (!row) return { fields: [], revision: 0 };
  // Validated by its schema when it was saved.
  return { ...row, fields: row.fields as unknown as readonly FieldDefinition[] };
}

function toKind(kind: TicketKindName, { fields, revision }: StoredKind) {
  return { kind, fields: [...fields], schema: { ...fieldsSchema(fields) }, revision };
}

/** Throws 422 for duplicate keys, a choice without values, or a changed field type. */
function assertSound(fields: readonly FieldDefinition[], before: readonly FieldDefinition[]): void {
  for (const [index, { key, type, choices }] of fields.entries()) {
    if (fields.findIndex((one) => one.key === key) !== index) {
      throw invalidField(`/fields/${index}/key`, "is already the key of another field");
    }
    if ((type === "choice") !== (choices !== undefined)) {
      throw invalidField(
        `/fields/${index}/choices`,
        "is only allowed for a choice, which requires it",
      );
    }
    const former = before.find((one) => one.key === key);
    if (former && former.type !== type) {
      throw invalidField(`/fields/${index}/type`, `must stay ${former.type}`);
    }
  }
}
