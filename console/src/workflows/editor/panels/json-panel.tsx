import { useEffect, useState } from "react";
import type { Definition } from "../../graph/graph.ts";
import { isEqual } from "../../graph/merge.ts";
import { toDefinition } from "../draft/definition.ts";
import type { Draft } from "../draft/use-draft.ts";
import { JsonField } from "./json-field.tsx";

interface JsonPanelProps {
  readonly definition: Definition;
  readonly draft: Draft;
  readonly locked: string | undefined;
}

/**
 * The definition as JSON, synchronized in both directions: valid text updates the canvas, and edits update the
 * text.
 */
export function JsonPanel({ definition, draft, locked }: JsonPanelProps) {
  const [text, setText] = useState(() => toText(definition));
  const [error, setError] = useState<string>();
  useEffect(() => {
    // Keeps the user's formatting if the canvas already shows the same definition.
    setText((old) => (isEqual(parse(old), definition) ? old : toText(definition)));
    setError(undefined);
  }, [definition]);
  const change = (next: string): void => {
    setText(next);
    const parsed = parse(next);
    if (typeof parsed === "string") return setError(parsed);
    const reason = findFault(parsed);
    setError(reason);
    // Reformatted text with the same value is not an edit.
    if (reason === undefined && !isEqual(parsed, definition)) {
      const after = parsed as Definition;
      draft.act({ label: "Edit JSON", after, chosen: [], field: "json" });
    }
    return undefined;
  };
  return (
    <JsonField
      label="Definition"
      isTall
      value={text}
      error={error}
      isReadOnly={locked !== undefined}
      onChange={change}
    />
  );
}

const toText = (definition: Definition): string =>
  JSON.stringify(toDefinition(definition), null, 2);

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns why a value can't be drawn; other errors appear in the problem list. */
function findFault(value: unknown): string | undefined {
  const { name, trigger, nodes, edges } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (typeof name !== "string") return "The definition needs a name.";
  if (typeof trigger !== "object" || trigger === null) return "The definition needs a trigger.";
  const isGraph =
    Array.isArray(nodes) &&
    Array.isArray(edges) &&
    nodes.every((node: Record<string, unknown> | null) => typeof node?.["id"] === "string");
  if (!isGraph) return "The definition needs a list of nodes with ids, and a list of edges.";
  const ids = nodes.map((node: Record<string, unknown>) => node["id"]);
  return new Set(ids).size === ids.length ? undefined : "Two nodes have the same id.";
}
