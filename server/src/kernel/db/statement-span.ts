import type { SpanDescription } from "../telemetry/span.ts";

const attributes = { "db.system.name": "postgresql" };

/** One transaction that writes. */
export function describeTransaction(): SpanDescription {
  return { name: "transaction", kind: "client", attributes };
}

/** Reads that belong together. */
export function describeReads(): SpanDescription {
  return { name: "reads", kind: "client", attributes };
}

/** A statement by its verb and first table: nothing of its text or values is told. */
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
