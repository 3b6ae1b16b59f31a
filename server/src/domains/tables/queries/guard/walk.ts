import { checks, type Struct } from "#domains/queries/guard/checks.ts";
import { type Findings, recordsOf, textOf } from "#domains/queries/guard/findings.ts";
import { type Liberty, NODES } from "#domains/queries/guard/nodes.ts";
import { plainWordsOf } from "./wording.ts";

/** So deep may a statement be nested; the server's own stack ends a little later. */
const DEPTH_MAX = 400;

/** Looks at every node of a statement: whether it may be there, and what it speaks of. */
export function walk(statement: unknown, liberty: Liberty, findings: Findings): void {
  const kinds = NODES[liberty];

  const visit = (value: unknown, near: number, depth: number): void => {
    for (const member of recordsOf(value)) {
      // An empty place in a list, such as the expressions of a plain `distinct`.
      for (const [kind, struct] of Object.entries(member)) {
        for (const fields of recordsOf(struct)) enter(kind, fields, { near, depth });
      }
    }
  };

  const enter = (
    name: string,
    struct: Struct,
    { near, depth }: { readonly near: number; readonly depth: number },
  ): void => {
    if (findings.isFull) return;
    const { location } = struct;
    const at = typeof location === "number" && location >= 0 ? location : near;
    const kind = kinds.get(name);
    if (!kind) return findings.complain(`${plainWordsOf(name)} is not available here`, at);
    if (depth > DEPTH_MAX) return findings.complain("this is nested too deeply", at);
    checks.get(name)?.(struct, at, findings);
    for (const [field, value] of Object.entries(struct)) {
      if (kind.plain.has(field)) continue;
      const bare = kind.bare.get(field);
      if (kind.nodes.has(field)) visit(value, at, depth + 1);
      else if (bare === undefined) refuse(name, field, { value, at });
      else
        for (const fields of recordsOf(value)) enter(bare, fields, { near: at, depth: depth + 1 });
    }
  };

  const refuse = (
    name: string,
    field: string,
    { value, at }: { readonly value: unknown; readonly at: number },
  ): void => {
    if (field === "schemaname" || field === "catalogname") {
      findings.complain(
        `${textOf(value)} is a schema; a table is named by its slug alone, and only those of this ` +
          "workspace and environment can be read",
        at,
      );
    } else findings.complain(`${plainWordsOf(`${name}.${field}`)} is not available here`, at);
  };

  visit(statement, 0, 0);
}
