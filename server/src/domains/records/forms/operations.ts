/**
 * Public forms: a `form` view with a separate URL. A submission is written with the form as actor, using the
 * publisher's current permissions, and only to the displayed fields.
 */
import { randomBytes } from "node:crypto";
import Type from "typebox";
import { findRights } from "#domains/identity/accounts/index.ts";
import {
  discardFiles,
  FileTooLarge,
  insertFile,
  QuotaExceeded,
  type ReceivedFile,
  releaseReceived,
} from "#domains/files/index.ts";
import { openTable, type OpenTable } from "#domains/tables/index.ts";
import { authorOf, type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import type { EnvironmentName, Partition } from "#kernel/db/partition.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { FailureWithPage, htmlErrorRendering } from "#kernel/html/error-page.ts";
import { isTrapped } from "#kernel/html/form/form-view.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { Failure, failure, Forbidden, Invalid, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, item } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { RecordCreated } from "../events.ts";
import { RecordsWrite } from "../permissions.ts";
import type { RecordInput } from "../record.ts";
import { assertMayChange, getVisibleView, TableView, tableViews } from "../views/view.ts";
import { insertRecords } from "../write/insert-records.ts";
import { FormContent, isAskable } from "./form-content.ts";
import {
  checkTypes,
  readAnswers,
  discardOnFailure,
  type SentAnswers,
  toInput,
} from "./form-answers.ts";
import { type AskedField, formPage, thanksPage } from "./form-page.ts";

const KEY_BYTES = 18;
const KEY_PATTERN = "^[A-Za-z0-9_-]{24}$";
const EXAMPLE_KEY = "k7Jw0xJ3QmVbq2cX9dZrTq4B";
const BODY_BYTES_MAX = 256 * 1024;
/** Limits per minute and node. */
const SENT_BY_ADDRESS_MAX = 10;
const SENT_BY_FORM_MAX = 120;
const SHOWN_TO_ADDRESS_MAX = 120;
const PUBLISH_PERMISSION = "tables:write";
const NEEDED = [PUBLISH_PERMISSION, RecordsWrite.name];

const NoForm = failure(
  "form_has_no_fields",
  422,
  "The view is not a form, or its form has no fields.",
);

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

/** Opens a form by its key. Throws a 404 if it does not exist, or if its publisher is no longer a member. */
async function openForm(platform: Platform, key: string): Promise<OpenForm> {
  const [row] = await platform.db.system<PublicForm>(
    `select id, name, workspace_id, environment, table_slug, form, public_by from table_views
      where public_key = $1 and kind = 'form'`,
    [key],
  );
  const rights = row && (await findRights(platform, row.workspace_id, { runAs: row.public_by }));
  if (!row || !rights || !NEEDED.every((name) => rights.permissions.has(name))) {
    throw new Failure(NotFound, {
      detail: "This form does not exist, or it is no longer published.",
    });
  }
  const partition = { workspace: row.workspace_id, environment: row.environment };
  const caller: Caller = {
    ...systemCaller(partition, { correlationId: newCorrelationId(platform.clock), depth: 0 }),
    ...rights,
    // The form is the actor, using the publisher's permissions.
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

/** The fields of the form that the table still has. */
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
  summary: "Show a published form",
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
  summary: "Submit a form",
  description:
    "Accepts browser form data. To send files, use `multipart/form-data`. Maximum: ten files and 25 MB in total. Files must have a type that the form accepts. Unknown fields and values that are too long are rejected.",
  access: "public",
  readsRequest: "files",
  params,
  bodyBytesMax: BODY_BYTES_MAX,
  response: html(htmlErrorRendering),
  emits: [RecordCreated],
  allowNoop: true,
  fails: [NotFound, FileTooLarge, QuotaExceeded],
  example: { params: { key: EXAMPLE_KEY } },
  async prepare(platform, { params: { key } }, caller) {
    const { address } = caller;
    platform.rateLimit.assert(`form from ${classifyAddress(address)}`, SENT_BY_ADDRESS_MAX);
    platform.rateLimit.assert(`form ${key}`, SENT_BY_FORM_MAX);
    const open = await openForm(platform, key);
    const { partition, fields } = open;
    // Files beyond the form's share are rejected before they are stored.
    const bytesMax = caller.upload
      ? await platform.db.read(partition, (tx) =>
          readShareLeft({ tx, caller: open.caller, services: platform }),
        )
      : 0;
    const sent = await readAnswers(platform, partition, caller, { fields, bytesMax });
    const { posted, files } = sent;
    if (isTrapped(posted)) {
      await discardFiles(platform, partition, files);
      return { ...open, ...sent, input: undefined };
    }
    const input = await discardOnFailure(platform, partition, files, () =>
      withPage({ ...open, posted }, async () => checkAnswers(platform, open, sent)),
    );
    return { ...open, ...sent, input };
  },
  async run(ctx, _input, open) {
    const { title, form, files, input } = open;
    // A bot filled the honeypot field: it gets the normal response, and nothing is written.
    if (!input) return thanksPage({ title, form });
    ctx.switchPartition(open.partition);
    ctx.setActor(open.caller.actor, open.caller.cause);
    const acting = { ...ctx, caller: open.caller };
    try {
      await withPage(open, async () => {
        const table = await openTable(acting, open.slug);
        const isFull = files.length > 0 && sizeOf(files) > (await readShareLeft(acting));
        if (isFull) throw new Failure(QuotaExceeded);
        await ctx.savepoint(async () => {
          for (const { id: fileId, stored } of files)
            await insertFile(acting, stored, { id: fileId });
          return insertRecords(acting, table, [input]);
        });
      });
    } catch (error) {
      // A rejection is committed, so that uploaded files count; otherwise visitors could fill the store past the
      // quota.
      if (!(error instanceof FailureWithPage) || files.length === 0) throw error;
      await releaseReceived(ctx, files);
      return error as never;
    }
    return thanksPage({ title, form });
  },
});

/** Builds the input of a record from the answers, and checks all that can be checked without writing. */
async function checkAnswers(
  platform: Platform,
  { caller, slug, fields }: OpenForm,
  sent: SentAnswers,
): Promise<RecordInput> {
  const input = toInput(fields, sent);
  const table = await openTable({ platform, caller }, slug);
  const parsed = table.parseFields("create", input, platform.clock.now());
  const errors = [...("errors" in parsed ? parsed.errors : []), ...checkTypes(fields, sent)];
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  return input;
}

/** Runs work on the answers; if they are invalid, shows the form again with the entered values. */
async function withPage<T>(
  { title, form, fields, posted }: OpenForm & Pick<SentAnswers, "posted">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const found = error.particulars.errors ?? [{ path: "", message: error.message }];
    const errors = new Map(found.map(({ path, message }) => [path.split("/")[1] ?? "", message]));
    throw new FailureWithPage(
      new Failure(Invalid),
      formPage({ title, form, fields, posted, errors }),
    );
  }
}

/** The maximum share of the workspace storage for one form. The rest is reserved for members. */
const FORM_SHARE = 0.1;
const TAKEN = "select coalesce(sum(size), 0)::float8 as bytes from files where created_by = $1";

const sizeOf = (files: readonly ReceivedFile[]): number =>
  files.reduce((sum, { stored }) => sum + stored.size, 0);

async function readShareLeft({
  caller,
  services,
  tx,
}: Pick<ReadContext, "caller" | "services" | "tx">): Promise<number> {
  const quota = services.settings.fileQuotaBytes;
  if (quota === 0) return Infinity;
  const [taken] = await queryRows(tx, TAKEN, [authorOf(caller)]);
  return quota * FORM_SHARE - Number(taken?.["bytes"]);
}

const onView = {
  permission: RecordsWrite,
  params: object({ id: id("tvw") }),
  response: item(TableView),
  emits: [tableViews.events.updated],
  example: { params: { id: "tvw_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
} as const;

const publishForm = command({
  ...onView,
  id: "table_views.publish",
  effect: "drastic",
  route: "POST /api/v1/table-views/{id}/publish",
  summary: "Publish a form",
  description: `Creates a public URL, \`/forms/{publicKey}\`. Requires \`${PUBLISH_PERMISSION}\` as long as the form is published: if the publisher loses it, the form closes. Calling it again creates a new URL and invalidates the old one.`,
  fails: [NoForm],
  async run(ctx, { params: { id: viewId } }) {
    if (!ctx.caller.permissions.has(PUBLISH_PERMISSION)) {
      throw new Failure(Forbidden, { detail: `Publishing a form requires ${PUBLISH_PERMISSION}.` });
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
  ...onView,
  id: "table_views.unpublish",
  effect: "drastic",
  route: "POST /api/v1/table-views/{id}/unpublish",
  summary: "Unpublish a form",
  allowNoop: true,
  async run(ctx, { params: { id: viewId } }) {
    assertMayChange(ctx.caller, await getVisibleView(ctx, viewId));
    return tableViews.update(ctx, viewId, { publicKey: null } as never);
  },
});

export const formOperations = [showForm, sendForm, publishForm, unpublishForm];
