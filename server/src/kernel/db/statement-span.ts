import type { SpanDescription } from "../telemetry/span.ts";

const attributes = { "db.system.name": "postgresql" };

/** A writing transaction. */
export function describeTransaction(): SpanDescription {
  return { name: "transaction", kind: "client", attributes };
}

/** A group of reads. */
export function describeReads(): SpanDescription {
  return { name: "reads", kind: "client", attributes };
}

/** A statement by its verb and first table. Its text and values are not exposed. */
export function describeStatement(text: string): SpanDescription {
  const [, verb = "sql"] = /^\s*(\w+)/.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_][\w]*)/i.exec(text) ?? [];
  const operation = verb.toLowerCase();
  return {
    name: table === undefined ? operation : `${operation} ${table}`,
    kind: "client",
    attributes: {
      ...attributes,
      "db.operation.name": operation,
      ...(table !== undefined && { "db.collection.name": table }),
    },
  };
}
