/**
 * Forms that strangers fill: a view of the kind `form` with an address of its own. What they send is written in the name
 * of the form, with the rights that whoever published it has at that moment, and only into the fields that it shows.
 */
import { randomBytes } from "node:crypto";
import Type from "typebox";
import { findRights } from "#domains/identity/accounts/index.ts";
import { openTable, type OpenTable } from "#domains/tables/index.ts";
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName, Partition } from "#kernel/db/partition.ts";
import { FailureWithPage, htmlErrorRendering } from "#kernel/html/error-page.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import {
  Failure,
  failure,
  type FieldError,
  Forbidden,
  Invalid,
  NotFound,
} from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, item } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { RecordCreated } from "../events.ts";
import { RecordsWrite } from "../permissions.ts";
import type { RecordInput } from "../record.ts";
import { assertMayChange, getVisibleView, TableView, tableViews } from "../views/view.ts";
import { insertRecords } from "../write/insert-records.ts";
import { FormContent, isAskable } from "./form-content.ts";
import {
  type AskedField,
  boxName,
  choicesOf,
  formPage,
  type FormValues,
  isRequired,
  thanksPage,
  TRAP,
} from "./form-page.ts";

const KEY_BYTES = 18;
const KEY_PATTERN = "^[A-Za-z0-9_-]{24}$";
const EXAMPLE_KEY = "k7Jw0xJ3QmVbq2cX9dZrTq4B";
const BODY_BYTES_MAX = 256 * 1024;
/** Of one minute, on each node. */
const SENT_BY_ADDRESS_MAX = 10;
const SENT_BY_FORM_MAX = 120;
const SHOWN_TO_ADDRESS_MAX = 120;
const PUBLISH_PERMISSION = "tables:write";
const NEEDED = [PUBLISH_PERMISSION, RecordsWrite.name];

const NoForm = failure("form_has_no_fields", 422, "The view is no form, or asks for nothing.");

interface PublicForm extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly workspace_id: string;
  readonly environment: EnvironmentName;
  readonly table_slug: string;
  readonly form: FormContent;
  readonly public_by: string;
}

interface OpenForm {
  readonly id: string;
  readonly title: string;
  readonly form: FormContent;
  readonly slug: string;
  readonly partition: Partition;
  readonly caller: Caller;
  readonly fields: readonly AskedField[];
}

/** Opens a form by its address; a 404 where there is none, or whoever published it has left. */
async function openForm(platform: Platform, key: string): Promise<OpenForm> {
  const [row] = await platform.db.system<PublicForm>(
    `select id, name, workspace_id, environment, table_slug, form, public_by from table_views
      where public_key = $1 and kind = 'form'`,
    [key],
  );
  const rights = row && (await findRights(platform, row.workspace_id, { runAs: row.public_by }));
  if (!row || !rights || !NEEDED.every((name) => rights.permissions.has(name))) {
    throw new Failure(NotFound, { detail: "There is no form at this address, or no longer." });
  }
  const partition = { workspace: row.workspace_id, environment: row.environment };
  const caller: Caller = {
    ...systemCaller(partition, { correlationId: newId("cor"), depth: 0 }),
    ...rights,
    // The record is the form's, by the rights of its publisher.
    principal: { id: row.id, roles: rights.principal.roles },
    actor: { id: row.id, name: row.name, type: "system" },
  };
  const table = await openTable({ platform, caller }, row.table_slug);
  const title = row.form.title ?? row.name;
  return {
    id: row.id,
    title,
    form: row.form,
    slug: row.table_slug,
    partition,
    caller,
    fields: askedFields(table, row.form),
  };
}

/** The fields that the form asks for and the table still has. */
function askedFields({ schema }: OpenTable, { fields }: FormContent): readonly AskedField[] {
  return fields.flatMap((field) => {
    const column = schema.byName.get(field.name);
    return column && isAskable(column) ? [{ field, column }] : [];
  });
}

const params = object({ key: Type.String({ pattern: KEY_PATTERN }) });

const showForm = query({
  id: "forms.show",
  route: "GET /forms/{key}",
  summary: "Show a form to whoever has its address",
  access: "public",
  params,
  response: html(htmlErrorRendering),
  fails: [NotFound],
  example: { params: { key: EXAMPLE_KEY } },
  async prepare(platform, { params: { key } }, { address }) {
    platform.rateLimit.assert(`form shown ${classifyAddress(address)}`, SHOWN_TO_ADDRESS_MAX);
    return openForm(platform, key);
  },
  run: async (_ctx, _input, { title, form, fields }) => formPage({ title, form, fields }),
});

const sendForm = command({
  id: "forms.send",
  route: "POST /forms/{key}",
  summary: "Send the answers to a form",
  description:
    "As a browser sends them. A field that the form does not show is refused, and so is too much of it.",
  access: "public",
  acceptsForm: true,
  params,
  body: Type.Record(Type.String(), Type.String({ maxLength: 100_000 }), { maxProperties: 1_000 }),
  bodyBytesMax: BODY_BYTES_MAX,
  response: html(htmlErrorRendering),
  emits: [RecordCreated],
  allowNoop: true,
  fails: [NotFound],
  example: { params: { key: EXAMPLE_KEY }, body: { email: "ada@example.com" } },
  async prepare(platform, { params: { key } }, { address }) {
    platform.rateLimit.assert(`form from ${classifyAddress(address)}`, SENT_BY_ADDRESS_MAX);
    platform.rateLimit.assert(`form ${key}`, SENT_BY_FORM_MAX);
    return openForm(platform, key);
  },
  async run(ctx, { body }, open) {
    const { title, form, fields } = open;
    // A program that fills whatever it finds gets the answer of everybody, and nothing is written.
    if (typeof body[TRAP] === "string" && body[TRAP] !== "") return thanksPage({ title, form });
    ctx.switchPartition(open.partition);
    ctx.setActor(open.caller.actor, open.caller.cause);
    const acting = { ...ctx, caller: open.caller };
    try {
      const input = toInput(fields, body);
      const table = await openTable(acting, open.slug);
      await ctx.savepoint(() => insertRecords(acting, table, [input]));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const errors = error.particulars.errors ?? [{ path: "", message: "can't be taken now" }];
      throw new FailureWithPage(
        new Failure(Invalid),
        formPage({ title, form, fields, values: body, errors }),
      );
    }
    return thanksPage({ title, form });
  },
});

/** The record that the answers make; throws where a field is not asked for, or an answer is missing. */
function toInput(fields: readonly AskedField[], values: FormValues): RecordInput {
  const asked = new Map(fields.map((each) => [each.column.name, each]));
  const boxes = fields.flatMap(({ column }) =>
    column.type === "multi_enum"
      ? choicesOf(column).map((_, index) => boxName(column.name, index))
      : [],
  );
  const names = new Set([...asked.keys(), ...boxes, TRAP]);
  const errors: FieldError[] = Object.keys(values)
    .filter((name) => !names.has(name))
    .map(() => ({ path: "", message: "has an answer that was not asked for" }));
  const input: Record<string, unknown> = {};
  for (const [name, each] of asked) {
    const value = parseAnswer(each, values);
    if (value !== undefined) input[name] = value;
    else if (isRequired(each)) errors.push({ path: `/${name}`, message: "is required" });
  }
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  return input;
}

function parseAnswer({ column }: AskedField, values: FormValues): unknown {
  const { name, type, columnType } = column;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (type === "boolean") return value !== undefined;
  if (type === "multi_enum") {
    const chosen = choicesOf(column).filter((_, index) =>
      Object.hasOwn(values, boxName(name, index)),
    );
    return chosen.length === 0 ? undefined : chosen;
  }
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (type === "text") return value;
  if (type !== "timestamp") return columnType.parseCell(value, column);
  // A browser sends a time without its offset, and mostly without its seconds.
  const whole = /T\d\d:\d\d$/.test(value) ? `${value}:00` : value;
  return /(Z|[+-]\d\d:\d\d)$/.test(whole) ? whole : `${whole}Z`;
}

const viewParams = object({ id: id("tvw") });
const example = { params: { id: "tvw_01jzt3n5k8q2x4v6w8y0z2b4d6" } };

const publishForm = command({
  id: "table_views.publish",
  route: "POST /api/v1/table-views/{id}/publish",
  summary: "Give a form an address at which anyone may fill it",
  description:
    `At \`/forms/{publicKey}\`. Needs \`${PUBLISH_PERMISSION}\`, as long as the form is open: with the publisher it ends. A new call ` +
    "gives a new address; the old one is no good any more.",
  permission: RecordsWrite,
  params: viewParams,
  response: item(TableView),
  emits: [tableViews.events.updated],
  fails: [NoForm],
  example,
  async run(ctx, { params: { id: viewId } }) {
    if (!ctx.caller.permissions.has(PUBLISH_PERMISSION)) {
      throw new Failure(Forbidden, { detail: `To publish a form needs ${PUBLISH_PERMISSION}.` });
    }
    const view = await getVisibleView(ctx, viewId);
    assertMayChange(ctx.caller, view);
    if (view.kind !== "form" || view.form.fields.length === 0) throw new Failure(NoForm);
    await ctx.send("update table_views set public_by = $2 where id = $1", [
      viewId,
      ctx.caller.principal?.id ?? "",
    ]);
    return tableViews.update(ctx, viewId, {
      publicKey: randomBytes(KEY_BYTES).toString("base64url"),
    } as never);
  },
});

const unpublishForm = command({
  id: "table_views.unpublish",
  route: "POST /api/v1/table-views/{id}/unpublish",
  summary: "Take a form's address away",
  permission: RecordsWrite,
  params: viewParams,
  response: item(TableView),
  emits: [tableViews.events.updated],
  allowNoop: true,
  example,
  async run(ctx, { params: { id: viewId } }) {
    assertMayChange(ctx.caller, await getVisibleView(ctx, viewId));
    return tableViews.update(ctx, viewId, { publicKey: null } as never);
  },
});

export const formOperations = [showForm, sendForm, publishForm, unpublishForm];
