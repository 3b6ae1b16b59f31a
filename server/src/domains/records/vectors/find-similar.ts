/** Finds the nearest visible records to a text or vector. */
import Type, { type Static } from "typebox";
import {
  ColumnName,
  compileVectorSource,
  dimensionsOf,
  type OpenTable,
  openTable,
  Slug,
  vectorColumns,
  vectorsOfRowSql,
  VECTOR_DIMENSIONS_MAX,
  type VectorSource,
} from "#domains/tables/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { splitChunks } from "#kernel/embedding/chunk.ts";
import { embedQuery } from "#kernel/embedding/query-vector.ts";
import { DIMENSIONS } from "#kernel/embedding/vector.ts";
import { Failure, failure, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { page } from "#kernel/operation/response.ts";
import { line, nullable, object, text } from "#kernel/schema/schema.ts";
import { parseListing, readListedRecords } from "../read/list-sql.ts";
import { parseRecordQuery } from "../read/record-query.ts";
import { RecordsRead } from "../permissions.ts";
import { type Hit, findHits, TooManyVectors, type VectorSearch } from "./nearest-records.ts";
import { toUnitVector } from "./unit-vector.ts";

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;
const TEXT_CHARACTERS_MAX = 4_000;
const FIELDS_MAX = 200;

const ModelBusy = failure(
  "model_unavailable",
  503,
  "Embedding the text took too long. Try again in a few seconds.",
);

const SimilarRecord = Type.Object(
  {
    score: Type.Number({
      description: "Cosine of the angle between the vectors; 1 is the same direction",
    }),
    passage: nullable(
      Type.String({
        description: "The most similar part of the texts. Null for a vector column",
      }),
    ),
    record: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: "SimilarRecord" },
);

const Body = object({
  column: Type.Optional({
    ...ColumnName,
    description: "A column of the type embedding or vector. Optional if the table has only one",
  }),
  text: Type.Optional(
    text(TEXT_CHARACTERS_MAX, "A question or description. For columns of the type embedding"),
  ),
  vector: Type.Optional(
    Type.Array(Type.Number(), { minItems: 2, maxItems: VECTOR_DIMENSIONS_MAX }),
  ),
  filter: Type.Optional(ConditionSchema),
  fields: Type.Optional(
    Type.Array(line(200), { minItems: 1, maxItems: FIELDS_MAX, description: "Default: all" }),
  ),
  scoreMin: Type.Optional(Type.Number({ minimum: -1, maximum: 1, default: -1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
});

export const findSimilar = query({
  id: "records.find_similar",
  route: "POST /api/v1/tables/{slug}/records/similar",
  summary: "Find similar records by text or vector",
  description:
    "Searches a column of the type `embedding` or `vector`, most similar first. Compares all records that match `filter` and whose texts you can view. A changed record is found again after some seconds; until then it is not found at all. Set either `text` or `vector`.",
  permission: RecordsRead,
  params: object({ slug: Slug }),
  body: Body,
  response: page(SimilarRecord),
  fails: [TooManyVectors, ModelBusy],
  example: {
    params: { slug: "handbook" },
    body: { text: "how do I claim my travel expenses?", filter: { language: "en" }, limit: 5 },
  },
  prepare: async (platform, { body }, caller) =>
    body.text === undefined
      ? undefined
      : embedQuery(platform, partitionOfCaller(caller), body.text),
  async run(ctx, { params, body }, embedded) {
    const table = await openTable(ctx, params.slug);
    const { limit = LIMIT_DEFAULT } = body;
    const search = await table.parse(() => parseSearch(table, body, ctx.now));
    const vector = search.vector ?? embedded;
    if (!vector) throw new Failure(ModelBusy);
    const data = await table.retryOnSchemaChange(async () => {
      const hits = await findHits(ctx, search, { vector, limit, scoreMin: body.scoreMin ?? -1 });
      return readHits(ctx, table, { hits, source: search.source, fields: body.fields });
    });
    return { data, nextCursor: null, limit };
  },
});

interface Search extends VectorSearch {
  readonly source: VectorSource;
  /** The vector of the request; undefined for a text, which the model embeds. */
  readonly vector: Float32Array | undefined;
}

function parseSearch(table: OpenTable, body: Static<typeof Body>, now: Date): Search {
  const { schema } = table;
  const column = findColumn(table, body.column);
  const row = schema.view;
  const source = compileVectorSource(schema, column, row);
  if (!source) throw invalidField("/column", "no longer has texts");
  const { filter } = body;
  const which = filter && { filter: JSON.stringify(filter) };
  const { rules, where, parameters } = parseRecordQuery(table, { fields: "id", ...which }, now);
  // The score must not reveal a hidden text.
  const guards = [column, ...source.columns].map((name) => rules.guard(name));
  const conditions = [where, ...guards].filter((condition) => condition !== undefined);
  const vectorsOfRow = vectorsOfRowSql(schema, column, { row, source });
  const vector = parseVector(table, column, body);
  const { values } = parameters;
  return { source, vector, tableId: schema.id, column, row, conditions, vectorsOfRow, values };
}

function findColumn({ schema }: OpenTable, name: string | undefined): string {
  const names = vectorColumns(schema);
  const [first] = names;
  if (first === undefined) {
    throw invalidField(
      "/column",
      "is required, because the table has no column of the type embedding",
    );
  }
  if (name === undefined && names.length > 1) {
    throw invalidField("/column", `is required: there are ${names.join(", ")}`);
  }
  if (name !== undefined && !names.includes(name)) {
    throw invalidField("/column", "is not a column of the type embedding or vector");
  }
  return name ?? first;
}

/** Parses the vector of a request; undefined if its text has to be embedded. */
function parseVector(
  { schema }: OpenTable,
  column: string,
  { text: asked, vector }: Static<typeof Body>,
): Float32Array | undefined {
  if ((asked === undefined) === (vector === undefined)) {
    throw invalidField("/text", "is required without a vector, and can't be combined with it");
  }
  const own = schema.byName.get(column);
  if (!vector) {
    if (!own) return undefined;
    throw invalidField(
      "/text",
      `can't be used for ${column}, whose vectors belong to another model`,
    );
  }
  const dimensions = own ? dimensionsOf(own) : DIMENSIONS;
  if (vector.length !== dimensions) {
    throw invalidField("/vector", `must have ${dimensions} numbers`);
  }
  const unit = toUnitVector(vector);
  if (!unit) throw invalidField("/vector", "must not be all 0");
  return unit;
}

/** Reads the records of hits in order, with the nearest passages. */
async function readHits(
  ctx: ReadContext,
  table: OpenTable,
  {
    hits,
    source,
    fields,
  }: {
    readonly hits: readonly Hit[];
    readonly source: VectorSource;
    readonly fields: readonly string[] | undefined;
  },
): Promise<Static<typeof SimilarRecord>[]> {
  if (hits.length === 0) return [];
  const ids = hits.map(({ id }) => id);
  const filter = JSON.stringify({ id: { in: ids } });
  const listing = parseListing(table, { filter, sort: "id", fields: fields?.join(",") }, ctx.now);
  const listed = await readListedRecords(ctx.tx, listing, undefined, ids.length);
  const records = new Map(listed.map(({ record }) => [String(record["id"]), record]));
  const texts = source.kind === "texts" ? await readTexts(ctx.tx, table, source, ids) : undefined;
  return hits.flatMap(({ id, score, place }) => {
    const record = records.get(id);
    const whole = texts?.get(id);
    const passage = whole === undefined ? null : (splitChunks(whole)[place] ?? null);
    return record ? [{ score, passage, record: { ...record } }] : [];
  });
}

async function readTexts(
  tx: Tx,
  { schema }: OpenTable,
  { sql }: VectorSource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const statement = `select id, ${sql} as text from ${schema.view} where id = any($1::text[])`;
  const rows = await queryRows(tx, statement, [ids]);
  return new Map(rows.map((row) => [String(row["id"]), String(row["text"])]));
}
