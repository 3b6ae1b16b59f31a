import { builtInNodeTypes } from "./built-in.ts";
import { runAtOnce } from "#kernel/work/turn-timer.ts";
import { checkDefinition } from "../definition/validation/check-definition.ts";
import { nodeTypes } from "../definition/node-type.ts";

export const types = nodeTypes(builtInNodeTypes);

/** A fake engine that reports an error for every text with "bad", to show which texts are checked. */
export const expressions = {
  template: (value: unknown) =>
    pathsOf(value, "").map((path) => ({ path, message: "is a bad template" })),
  readsSecrets: (text: string) => text.includes("secrets."),
  templateNames: () => [],
  expressionNames: () => ({ paths: [], variables: [] }),
  expression: (text: string) => (text.includes("bad") ? [{ message: "is a bad expression" }] : []),
};

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value === "string") return /\{\{.*bad.*\}\}/.test(value) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, `${path}/${key}`));
}

/** The errors of a definition, as path and message. */
export function errorsOf(definition: unknown): string[] {
  return runAtOnce(checkDefinition(definition, types, expressions)).errors.map(
    ({ path, message }) => `${path} ${message}`,
  );
}

/** The errors of a definition with these nodes. */
export function errorsOfNodes(nodes: unknown[], edges: unknown[] = []): string[] {
  return errorsOf({ name: "x", trigger: { type: "manual" }, nodes, edges });
}

export const step = (id: string, more: object = {}) => ({
  id,
  type: "set",
  config: { values: {} },
  ...more,
});
export const loop = (id: string, body: unknown) => ({
  id,
  type: "loop",
  config: { items: [], body },
});
