import Type from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Formulas } from "#kernel/csv/csv-line.ts";
import { parseCsv } from "#kernel/csv/parse-csv.ts";
import { Failure, type FieldError, Invalid, invalidField } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { ClassName } from "../classes/class.ts";
import { readSchemas } from "../classes/store.ts";
import { ItemCreated, ItemUpdated, RelationshipCreated } from "../events.ts";
import { KeyTaken } from "../items/item.ts";
import { CmdbWrite } from "../permissions.ts";
import {
  classNamesIn,
  headerErrors,
  csvToRawRow,
  validateRows,
  type ValidatedRows,
} from "./import-row.ts";
import { applyImport, decideImport, takeImportLock } from "./import-items.ts";
import {
  createRelationships,
  type RelationshipRow,
  parseRelationship,
  resolveRelationships,
} from "./import-relationships.ts";

const BYTES_MAX = 16 * 1024 * 1024;
const ITEMS_MAX = 10_000;
const RELATIONSHIPS_MAX = 50_000;
const ERRORS_MAX = 100;

const Anything = Type.Record(Type.String(), Type.Unknown());
const options = {
  class: Type.Optional(ClassName),
  onError: Type.Optional(Type.Enum(["abort", "skip"])),
  formulas: Type.Optional(Formulas),
  dryRun: Type.Optional(Type.Boolean()),
};

const Body = object({
  format: Type.Optional(Type.Enum(["json", "csv"])),
  ...options,
  items: Type.Optional(
    Type.Array(Anything, {
      maxItems: ITEMS_MAX,
      description: "Items with `key`, `class` (if not set for all items) and other fields",
    }),
  ),
  csv: Type.Optional(Type.String()),
  relationships: Type.Optional(
    Type.Array(Anything, {
      maxItems: RELATIONSHIPS_MAX,
      description:
        "Relationships with `from`, `to` and `type`. Each end is an id, or `{ class, key }`",
    }),
  ),
});

const ImportResult = Type.Object(
  {
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer({ description: "Unchanged items" }),
    skipped: Type.Integer({ description: "Skipped items" }),
    relationships: Type.Object({
      created: Type.Integer(),
      unchanged: Type.Integer(),
      skipped: Type.Integer(),
    }),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: "Errors of skipped items, at most 100",
    }),
  },
  { title: "CmdbImportResult" },
);

export const importItems = command({
  id: "cmdb.import",
  effect: "drastic",
  route: "POST /api/v1/cmdb/import",
  summary: "Import configuration items and their relationships",
  description: `Imports up to ${ITEMS_MAX} items as JSON in \`items\`, as CSV in \`csv\`, or as CSV body with \`text/csv\`. The first line of a CSV file contains field names: \`key\`, \`class\`, \`name\`, \`status\`, \`description\`, \`ownerId\`, \`teamId\`, and \`attributes.<name>\` for each attribute. An empty cell clears an attribute, the owner or the team. \`key\` and \`class\` identify an item: existing items are updated if they differ. Without \`onError: skip\`, one error cancels the whole import. \`dryRun\` returns the result without importing anything.`,
  permission: CmdbWrite,
  query: object(options),
  body: Body,
  acceptsText: { mediaType: "text/csv", field: "csv" },
  bodyBytesMax: BYTES_MAX,
  response: item(ImportResult),
  emits: [ItemCreated, ItemUpdated, RelationshipCreated],
  allowNoop: true,
  fails: [KeyTaken],
  example: {
    body: {
      class: "server",
      items: [
        { key: "web-1", name: "web-1", attributes: { os: "linux" } },
        { key: "rack-7", class: "other", name: "Rack 7" },
      ],
      relationships: [
        { from: { key: "web-1" }, to: { class: "other", key: "rack-7" }, type: "hosted_on" },
      ],
    },
  },
  async prepare(platform, { query, body }, caller) {
    const options = {
      defaultClass: body.class ?? query.class,
      skipsErrors: (body.onError ?? query.onError) === "skip",
      dryRun: body.dryRun ?? query.dryRun ?? false,
    };
    assertOneSource(body);
    const validated =
      body.csv === undefined
        ? await validateRows(toRawRows(body.items ?? []), options.defaultClass)
        : await validateCsv(platform, caller, {
            csv: body.csv,
            formulas: body.formulas ?? query.formulas ?? "escaped",
            defaultClass: options.defaultClass,
          });
    const relationships = (body.relationships ?? []).map((raw, index) =>
      parseRelationship(raw, `/relationships/${index}`, options.defaultClass),
    );
    const errors = [
      ...validated.errors,
      ...relationships.flatMap((relationship) =>
        "errors" in relationship ? relationship.errors : [],
      ),
    ];
    if (!options.skipsErrors) assertNoErrors(errors);
    const relationshipRows = relationships.flatMap((relationship) =>
      "errors" in relationship ? [] : [relationship],
    );
    return {
      ...options,
      validated,
      relationshipRows,
      relationshipCount: relationships.length,
      errors,
    };
  },
  async run(ctx, _input, prepared) {
    const work = () => importAll(ctx, prepared);
    return prepared.dryRun ? runAndRollBack(ctx, work) : work();
  },
});

type ImportContext = WriteContext<
  typeof ItemCreated | typeof ItemUpdated | typeof RelationshipCreated
>;

async function importAll(
  ctx: ImportContext,
  prepared: {
    readonly skipsErrors: boolean;
    readonly validated: ValidatedRows;
    readonly relationshipRows: readonly RelationshipRow[];
    readonly relationshipCount: number;
    readonly errors: readonly FieldError[];
  },
) {
  const { skipsErrors, validated, relationshipRows, relationshipCount } = prepared;
  await takeImportLock(ctx.tx);
  const outcome = await decideImport(ctx, validated.valid);
  if (!skipsErrors) assertNoErrors(outcome.errors);
  await applyImport(ctx, outcome);
  const { resolved, errors } = await resolveRelationships(ctx, relationshipRows);
  if (!skipsErrors) assertNoErrors(errors);
  const createdCount = await createRelationships(ctx, resolved);
  return {
    created: outcome.created.length,
    updated: outcome.updated.length,
    unchanged: outcome.unchanged,
    skipped: validated.skipped + outcome.skipped,
    relationships: {
      created: createdCount,
      unchanged: resolved.length - createdCount,
      skipped: relationshipCount - resolved.length,
    },
    errors: [...prepared.errors, ...outcome.errors, ...errors].slice(0, ERRORS_MAX),
  };
}

/** Does the work in a savepoint, rolls it back, and resolves to its result. */
async function runAndRollBack<T>(ctx: ImportContext, work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  const rollback = new Error("A dry run is rolled back.");
  try {
    await ctx.savepoint(async () => {
      // The inner savepoint waits for all pipelined statements, so that their failures appear here.
      results.push(await ctx.savepoint(work));
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  // The rollback follows the work, so a result exists.
  return results[0] as T;
}

function toRawRows(items: readonly unknown[]) {
  return items.map((raw, index) => ({ path: `/items/${index}`, raw }));
}

async function validateCsv(
  platform: Platform,
  caller: Caller,
  {
    csv,
    formulas,
    defaultClass,
  }: {
    readonly csv: string;
    readonly formulas: Formulas;
    readonly defaultClass: string | undefined;
  },
): Promise<ValidatedRows> {
  const file = await parseCsv(csv, { formulas, rowsMax: ITEMS_MAX });
  assertNoErrors(headerErrors(file));
  const schemas = await platform.db.read(partitionOfCaller(caller), (tx) =>
    readSchemas(tx, classNamesIn(file, defaultClass)),
  );
  const schemaOf = (itemClass: string | null) => schemas.get(itemClass ?? defaultClass ?? "");
  const rows = file.rows.map((row) => csvToRawRow(file.header, row, schemaOf));
  return validateRows(rows, defaultClass);
}

function assertOneSource(body: {
  readonly format?: string;
  readonly items?: unknown;
  readonly csv?: unknown;
  readonly relationships?: unknown;
}): void {
  const { format, items, csv, relationships } = body;
  if (items !== undefined && csv !== undefined)
    throw invalidField("/csv", "can't be combined with `items`");
  if (format === "csv" && csv === undefined) throw invalidField("/csv", "is required");
  if (format === "json" && csv !== undefined) throw invalidField("/csv", "is not JSON");
  if (items === undefined && csv === undefined && relationships === undefined) {
    throw invalidField("/items", "is required");
  }
}

function assertNoErrors(errors: readonly FieldError[]): void {
  const [first] = errors;
  if (!first) return;
  const detail = `${first.path} ${first.message}`;
  throw new Failure(Invalid, { detail, errors: errors.slice(0, ERRORS_MAX) });
}
