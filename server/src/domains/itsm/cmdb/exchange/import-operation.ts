import Type from "typebox";
import type { Caller, Platform } from "#kernel/access/caller.ts";
import { parseCsv } from "#kernel/csv/parse-csv.ts";
import { Failure, type FieldError, Invalid, invalidField } from "#kernel/operation/failure.ts";
import { command, type WriteContext } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { ClassName } from "../classes/class.ts";
import { readSchemas } from "../classes/store.ts";
import { ItemCreated, ItemUpdated, RelationshipCreated } from "../events.ts";
import { KeyTaken } from "../items/item.ts";
import { CmdbWrite } from "../permissions.ts";
import {
  classesIn,
  headerFaults,
  entryOfRow,
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
const FAULTS_MAX = 100;

const Anything = Type.Record(Type.String(), Type.Unknown());
const options = {
  class: Type.Optional(ClassName),
  onError: Type.Optional(Type.Enum(["abort", "skip"])),
  dryRun: Type.Optional(Type.Boolean()),
};

const Body = object({
  format: Type.Optional(Type.Enum(["json", "csv"])),
  ...options,
  items: Type.Optional(
    Type.Array(Anything, {
      maxItems: ITEMS_MAX,
      description: "Each with its `key`, its `class` unless one is given for all, and its fields",
    }),
  ),
  csv: Type.Optional(Type.String()),
  relationships: Type.Optional(
    Type.Array(Anything, {
      maxItems: RELATIONSHIPS_MAX,
      description: "Each with `from`, `to` and `type`; an end is an id, or `{ class, key }`",
    }),
  ),
});

const ImportResult = Type.Object(
  {
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer({ description: "Items that were like that already" }),
    skipped: Type.Integer({ description: "Items that could not be imported" }),
    relationships: Type.Object({
      created: Type.Integer(),
      unchanged: Type.Integer(),
      skipped: Type.Integer(),
    }),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: "What is wrong with what was skipped, up to 100 faults",
    }),
  },
  { title: "CmdbImportResult" },
);

export const importItems = command({
  id: "cmdb.import",
  route: "POST /api/v1/cmdb/import",
  summary: "Import configuration items and their relationships",
  description:
    `Up to ${ITEMS_MAX} items as JSON in \`items\`, or as CSV in \`csv\` or as the whole body with ` +
    "`text/csv`. The first line of a CSV file names fields: `key`, `class`, `name`, `status`, " +
    "`description`, `ownerId`, `teamId`, and `attributes.<name>` for each attribute; an empty cell " +
    "takes an attribute, the owner or the team away. An item is known by its `key` in its class: if " +
    "it is there it is changed in what is said of it, and if nothing differs nothing happens. All or " +
    "nothing, unless `onError` is `skip`. `dryRun` tells what would happen.",
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
    const plan = {
      defaultClass: body.class ?? query.class,
      skips: (body.onError ?? query.onError) === "skip",
      dryRun: body.dryRun ?? query.dryRun ?? false,
    };
    assertOneForm(body);
    const sifted =
      body.csv === undefined
        ? await validateRows(itemsOf(body.items ?? []), plan.defaultClass)
        : await siftCsv(platform, caller, { csv: body.csv, defaultClass: plan.defaultClass });
    const ties = (body.relationships ?? []).map((raw, index) =>
      parseRelationship(raw, `/relationships/${index}`, plan.defaultClass),
    );
    const faults = [
      ...sifted.faults,
      ...ties.flatMap((tie) => ("faults" in tie ? tie.faults : [])),
    ];
    if (!plan.skips) assertNone(faults);
    const named = ties.flatMap((tie) => ("faults" in tie ? [] : [tie]));
    return { ...plan, sifted, named, tieCount: ties.length, faults };
  },
  async run(ctx, _input, prepared) {
    const all = () => importAll(ctx, prepared);
    return prepared.dryRun ? rehearsed(ctx, all) : all();
  },
});

type Importing = WriteContext<typeof ItemCreated | typeof ItemUpdated | typeof RelationshipCreated>;

async function importAll(
  ctx: Importing,
  prepared: {
    readonly skips: boolean;
    readonly sifted: ValidatedRows;
    readonly named: readonly RelationshipRow[];
    readonly tieCount: number;
    readonly faults: readonly FieldError[];
  },
) {
  const { skips, sifted, named, tieCount } = prepared;
  await takeImportLock(ctx.tx);
  const outcome = await decideImport(ctx, sifted.candidates);
  if (!skips) assertNone(outcome.faults);
  await applyImport(ctx, outcome);
  const { ties, faults } = await resolveRelationships(ctx, named);
  if (!skips) assertNone(faults);
  const made = await createRelationships(ctx, ties);
  return {
    created: outcome.created.length,
    updated: outcome.updated.length,
    unchanged: outcome.unchanged,
    skipped: sifted.skipped + outcome.skipped,
    relationships: {
      created: made,
      unchanged: ties.length - made,
      skipped: tieCount - ties.length,
    },
    errors: [...prepared.faults, ...outcome.faults, ...faults].slice(0, FAULTS_MAX),
  };
}

/** Does all that can be undone, undoes it, and tells what would have come of it. */
async function rehearsed<T>(ctx: Importing, work: () => Promise<T>): Promise<T> {
  const done: T[] = [];
  const undo = new Error("This was only to see.");
  try {
    await ctx.savepoint(async () => {
      // Whether it would have gone well is known when every answer is there.
      done.push(await ctx.savepoint(work));
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  // It got as far as to be undone, so there is one.
  return done[0] as T;
}

function itemsOf(items: readonly unknown[]) {
  return items.map((raw, index) => ({ path: `/items/${index}`, raw }));
}

async function siftCsv(
  platform: Platform,
  { workspace, environment }: Caller,
  { csv, defaultClass }: { readonly csv: string; readonly defaultClass: string | undefined },
): Promise<ValidatedRows> {
  if (!workspace) throw new Error("Items belong to a workspace.");
  const file = await parseCsv(csv, ITEMS_MAX);
  assertNone(headerFaults(file));
  const schemas = await platform.db.read({ workspace: workspace.key, environment }, (tx) =>
    readSchemas(tx, classesIn(file, defaultClass)),
  );
  const schemaOf = (itemClass: string | null) => schemas.get(itemClass ?? defaultClass ?? "");
  const entries = file.rows.map((row) => entryOfRow(file.header, row, schemaOf));
  return validateRows(entries, defaultClass);
}

function assertOneForm(body: {
  readonly format?: string;
  readonly items?: unknown;
  readonly csv?: unknown;
  readonly relationships?: unknown;
}): void {
  const { format, items, csv, relationships } = body;
  if (items !== undefined && csv !== undefined)
    throw invalidField("/csv", "must not stand with `items`");
  if (format === "csv" && csv === undefined) throw invalidField("/csv", "is required");
  if (format === "json" && csv !== undefined) throw invalidField("/csv", "is not JSON");
  if (items === undefined && csv === undefined && relationships === undefined) {
    throw invalidField("/items", "is required");
  }
}

function assertNone(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (!first) return;
  const detail = `${first.path} ${first.message}`;
  throw new Failure(Invalid, { detail, errors: faults.slice(0, FAULTS_MAX) });
}
