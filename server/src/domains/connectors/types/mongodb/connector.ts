import type { Document } from "bson";
import Type, { type Static } from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { line, object } from "#kernel/schema/schema.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { RESPONSE_BYTES_MAX } from "../../upstream/http.ts";
import { withRetries } from "../../upstream/retry.ts";
import { hostErrors } from "../../upstream/target.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { action, connectorType } from "../connector-type.ts";
import { config, type MongoConfig } from "./config.ts";
import { parseServer } from "./server-address.ts";
import { loadBson, runCommand } from "./session.ts";

type MongoConnection = UpstreamConnection<MongoConfig>;

const DOCUMENTS_MAX = 1_000;
const Collection = line(200);
const Doc = Type.Record(Type.String(), Type.Unknown(), {
  description: 'JSON; ids as `{"$oid": "…"}`, times as `{"$date": "…"}`',
});
const Limit = Type.Integer({ minimum: 1, maximum: 10_000, default: 100 });

const FindInput = object({
  collection: Collection,
  filter: Type.Optional(Doc),
  projection: Type.Optional(Doc),
  sort: Type.Optional(Doc),
  skip: Type.Integer({ minimum: 0, default: 0 }),
  limit: Limit,
});
const AggregateInput = object({
  collection: Collection,
  pipeline: Type.Array(Doc, { maxItems: 100 }),
  limit: Limit,
});
const CountInput = object({ collection: Collection, filter: Type.Optional(Doc) });
const InsertInput = object({
  collection: Collection,
  documents: Type.Array(Doc, { minItems: 1, maxItems: DOCUMENTS_MAX }),
});
const UpdateInput = object({
  collection: Collection,
  filter: Doc,
  update: Doc,
  many: Type.Boolean({ default: false, description: "All matches instead of the first" }),
  upsert: Type.Boolean({ default: false, description: "Inserts a document if there is no match" }),
});
const DeleteInput = object({
  collection: Collection,
  filter: Doc,
  many: Type.Boolean({ default: false, description: "All matches instead of the first" }),
});

/** A MongoDB database. */
export const mongodb = connectorType({
  type: "mongodb",
  summary: "A MongoDB database",
  config,
  authKinds: ["none", "basic"],
  actions: [
    action<MongoConfig, typeof FindInput>({
      name: "find",
      summary: "Finds `documents`. `truncated` is true if there may be more",
      input: FindInput,
      run: (connection, { collection, limit, ...input }) =>
        again(connection, async () => {
          checkOperators(input);
          const countMax = Math.min(limit, connection.config.maxDocuments);
          const command = { find: collection, ...(await toBson(input)), singleBatch: true };
          const room = { limit: countMax + 1, batchSize: countMax + 1 };
          return read(connection, { ...command, ...room }, countMax);
        }),
    }),
    action<MongoConfig, typeof AggregateInput>({
      name: "aggregate",
      summary: "Runs an aggregation pipeline. Returns its `documents`",
      input: AggregateInput,
      run: (connection, { collection, pipeline, limit }) =>
        again(connection, async () => {
          checkPipeline(connection, pipeline);
          checkOperators({ pipeline });
          const countMax = Math.min(limit, connection.config.maxDocuments);
          const cursor = { batchSize: countMax + 1 };
          const command = { aggregate: collection, ...(await toBson({ pipeline })), cursor };
          return read(connection, command, countMax);
        }),
    }),
    action<MongoConfig, typeof CountInput>({
      name: "count",
      summary: "Counts documents. Returns `count`",
      input: CountInput,
      run: (connection, { collection, filter = {} }) =>
        again(connection, async () => {
          checkOperators({ filter });
          const command = { count: collection, ...(await toBson({ query: filter })) };
          const { n } = await runCommand(connection, withTimeLimit(connection, command));
          return { count: Number(n) };
        }),
    }),
    action<MongoConfig, typeof InsertInput>({
      name: "insert",
      summary: "Inserts documents. Returns their ids as `insertedIds`",
      input: InsertInput,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, input) => once(connection, () => insert(connection, input)),
    }),
    action<MongoConfig, typeof UpdateInput>({
      name: "update",
      summary:
        "Updates documents. Returns the numbers `matched` and `modified`, and an `upsertedId`",
      input: UpdateInput,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, input) => once(connection, () => update(connection, input)),
    }),
    action<MongoConfig, typeof DeleteInput>({
      name: "delete",
      summary: "Deletes documents. Returns the number `deleted`",
      input: DeleteInput,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, { collection, filter, many }) =>
        once(connection, async () => {
          checkOperators({ filter });
          const { q } = await toBson({ q: filter });
          const command = { delete: collection, deletes: [{ q, limit: many ? 0 : 1 }] };
          const { n } = await runCommand(connection, withTimeLimit(connection, command));
          return { deleted: Number(n) };
        }),
    }),
  ],
  check: (platform, { host, isCluster, sslMode, members = [] }) => [
    // A cluster name resolves to other hosts, which are checked after the lookup.
    ...(isCluster ? [] : hostErrors(platform, "/config/host", host)),
    ...members.flatMap((member, index) => {
      const path = `/config/members/${index}`;
      const place = parseServer(member);
      return place
        ? hostErrors(platform, path, place.host)
        : [{ path, message: "must have the form host:port" }];
    }),
    ...(isCluster && sslMode === "disable"
      ? [{ path: "/config/sslMode", message: "must not be `disable` for a cluster" }]
      : []),
  ],
  async test(connection) {
    await runCommand(connection, { ping: 1 });
    return {};
  },
});

function again<T>(connection: MongoConnection, work: () => Promise<T>): Promise<T> {
  return withRetries({ ...connection, idempotent: true }, work);
}

function once<T>(connection: MongoConnection, work: () => Promise<T>): Promise<T> {
  return withRetries({ ...connection, idempotent: false }, work);
}

/** Reads only the first batch of a cursor. */
async function read(
  connection: MongoConnection,
  command: Document,
  countMax: number,
): Promise<object> {
  const { cursor } = await runCommand(connection, withTimeLimit(connection, command));
  const { firstBatch = [], id = 0, ns = "" } = (cursor ?? {}) as Document;
  if (Number(id) !== 0) {
    const collection = String(ns).slice(String(ns).indexOf(".") + 1);
    await runCommand(connection, { killCursors: collection, cursors: [id] });
  }
  const documents = (firstBatch as Document[]).slice(0, countMax);
  return {
    documents: await toJson(documents),
    truncated: (firstBatch as Document[]).length > countMax || Number(id) !== 0,
  };
}

async function insert(
  connection: MongoConnection,
  { collection, documents }: Static<typeof InsertInput>,
): Promise<object> {
  const { ObjectId } = await loadBson();
  const given = await toBson({ documents });
  const all = (given["documents"] as Document[]).map((one) => ({ _id: new ObjectId(), ...one }));
  await runCommand(connection, withTimeLimit(connection, { insert: collection, documents: all }));
  return { insertedCount: all.length, insertedIds: await toJson(all.map(({ _id }) => _id)) };
}

async function update(
  connection: MongoConnection,
  { collection, filter, update: change, many, upsert }: Static<typeof UpdateInput>,
): Promise<object> {
  checkOperators({ filter, update: change });
  const { q, u } = await toBson({ q: filter, u: change });
  const command = { update: collection, updates: [{ q, u, multi: many, upsert }] };
  const answer = await runCommand(connection, withTimeLimit(connection, command));
  const [made] = (answer["upserted"] ?? []) as Document[];
  const upsertedId = made ? await toJson(made["_id"]) : null;
  return {
    matched: Number(answer["n"]) - (made ? 1 : 0),
    modified: Number(answer["nModified"]),
    upsertedId,
  };
}

/** `$out` and `$merge` write, and are only allowed as the last stage of a pipeline. */
function checkPipeline({ config: { allowWrites } }: MongoConnection, stages: readonly object[]) {
  const at = stages.findIndex((stage) => "$out" in stage || "$merge" in stage);
  if (at >= 0 && !allowWrites) {
    throw invalidField(`/input/pipeline/${at}`, "writes data, but this connector can only read");
  }
}

/** Operators that run JavaScript on the server. */
const SCRIPTED = new Set(["$where", "$function", "$accumulator"]);

/** Throws if a query contains operators that run code: external data in a condition must remain a value. */
function checkOperators(value: unknown, path = "/input"): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    const at = jsonPointer(path, name);
    if (SCRIPTED.has(name))
      throw invalidField(at, "runs code on the server, which connectors do not allow");
    checkOperators(part, at);
  }
}

function withTimeLimit({ deadline }: MongoConnection, command: Document): Document {
  return { ...command, maxTimeMS: deadline.remainingMs() };
}

/** Converts values to BSON; types that JSON lacks are written as extended JSON. */
async function toBson(input: object): Promise<Document> {
  const { EJSON } = await loadBson();
  try {
    return EJSON.deserialize(input as Document, { relaxed: true }) as Document;
  } catch {
    throw invalidField("/input", "contains a value that is not valid MongoDB extended JSON");
  }
}

async function toJson(value: unknown): Promise<unknown> {
  const { EJSON } = await loadBson();
  const json: unknown = EJSON.serialize(value as Document, { relaxed: true });
  if (JSON.stringify(json).length > RESPONSE_BYTES_MAX) {
    throw new UpstreamError("The response is larger than 1 MiB.");
  }
  return json;
}
