import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Operation } from "../../contract.ts";
import type { OperationMatch, PathTable } from "./path-table.ts";

/** The size of bodies, but for operations that say otherwise. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** How bodies are read: operations that agree in it share a route of the framework. */
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

/** Lets routes be constrained to a reading: requests for other operations, or for none, pass them by. */
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

/** The operation of a request and its parameters, if it is for one. */
export function findMatch({ raw }: FastifyRequest): OperationMatch | undefined {
  return (raw as MatchedRequest)[MATCH];
}

export function operationOf(request: FastifyRequest): Operation | undefined {
  return findMatch(request)?.operation;
}

/** The operation of a request that a route of the operations has taken. */
export function matchOf(request: FastifyRequest): OperationMatch {
  const match = findMatch(request);
  if (!match) throw new Error("A request reached the operations without being for one.");
  return match;
}
