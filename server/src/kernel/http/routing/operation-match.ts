import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Operation } from "../../contract.ts";
import type { OperationMatch, PathTable } from "./path-table.ts";

/** The default limit of body sizes. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** How bodies are read. Operations with the same reading share a framework route. */
export interface Reading {
  readonly name: string;
  readonly kind: "parsed" | "raw" | "raw or streamed" | "streamed";
  readonly bytesMax: number;
}

const MATCH = Symbol("match");

interface MatchedRequest extends IncomingMessage {
  [MATCH]?: OperationMatch | undefined;
}

const readings = new WeakMap<Operation, Reading>();

export function readingOf(op: Operation): Reading {
  const known = readings.get(op);
  if (known) return known;
  const raw = op.readsRequest === "files" ? "raw or streamed" : "raw";
  const kind = op.streamsBody ? "streamed" : op.readsRequest ? raw : "parsed";
  const bytesMax = op.bodyBytesMax ?? BODY_BYTES_MAX;
  const reading: Reading = { name: `${kind} ${bytesMax}`, kind, bytesMax };
  readings.set(op, reading);
  return reading;
}

/** Adds a route constraint: a route only matches requests of operations with its reading. */
export function constrainByReading(app: FastifyInstance, paths: PathTable): void {
  app.addConstraintStrategy({
    name: "reading",
    storage: () => {
      const handlers = new Map<string, never>();
      return {
        get: (name: string) => handlers.get(name) ?? null,
        set: (name: string, handler: never) => void handlers.set(name, handler),
      };
    },
    deriveConstraint: (request: MatchedRequest) => {
      const match = paths.findOperation(request.method ?? "", request.url ?? "");
      request[MATCH] = match;
      return match && readingOf(match.operation).name;
    },
    mustMatchWhenDerived: true,
  });
}

/** Returns the matching operation and its parameters. */
export function findMatch({ raw }: FastifyRequest): OperationMatch | undefined {
  return (raw as MatchedRequest)[MATCH];
}

export function operationOf(request: FastifyRequest): Operation | undefined {
  return findMatch(request)?.operation;
}

/** The operation of a request on an operation route. */
export function matchOf(request: FastifyRequest): OperationMatch {
  const match = findMatch(request);
  if (!match) throw new Error("A request reached the operations without being for one.");
  return match;
}
