import { checkExpression } from "#kernel/expression/expression.ts";
import { compileTemplatePlan } from "#kernel/expression/template-plan.ts";
import { ANY_NAME } from "#kernel/expression/references.ts";
import type { FieldError } from "#kernel/operation/failure.ts";

/** What the configuration of a data source may read. */
export const SOURCE_ROOTS = ["inputs", "params", "user", "context"] as const;
/** What a component and its actions may read. */
export const PAGE_ROOTS = [...SOURCE_ROOTS, "data", "row", "result"] as const;

/** A name behind `data.`, where that is not itself a part of something else. */
const SOURCE = /(?<![.\w$`"'])data\.([A-Za-z]\w*)/g;

/** What is wrong with the bindings of a value: their syntax, and what they read. */
export function faultsOfBindings(
  value: unknown,
  at: string,
  { roots, sources }: { readonly roots: readonly string[]; readonly sources: ReadonlySet<string> },
): FieldError[] {
  const { slots, faults } = compileTemplatePlan(value);
  const found: FieldError[] = faults.map((fault) => ({ ...fault, path: at + fault.path }));
  for (const { text, path, offset } of slots) {
    const { faults: wrong, references } = checkExpression(text);
    for (const { message, position } of wrong) {
      found.push({ path: at + path, message, position: offset + position });
    }
    const strange = references.roots.filter((name) => name !== ANY_NAME && !roots.includes(name));
    for (const name of strange) {
      found.push({
        path: at + path,
        message: `reads ${name}, and there is only ${roots.join(", ")}`,
      });
    }
    if (!roots.includes("data")) continue;
    for (const name of sourcesIn(text)) {
      if (sources.has(name)) continue;
      found.push({
        path: at + path,
        message: `names ${name}, which is no data source of this app`,
      });
    }
  }
  return found;
}

/** The data sources that the bindings of a value may read: these, and all of them for `*`. */
export function sourcesRead(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of compileTemplatePlan(value).slots) {
    const { roots } = checkExpression(text).references;
    if (!roots.includes("data") && !roots.includes(ANY_NAME)) continue;
    const named = sourcesIn(text);
    // It may take them by another way, such as `$lookup`.
    const all = roots.includes(ANY_NAME) || text.match(/\bdata\b/g)?.length !== named.length;
    for (const name of all ? [...named, ANY_NAME] : named) names.add(name);
  }
  return names;
}

function sourcesIn(text: string): string[] {
  return [...text.matchAll(SOURCE)].map(([, name = ""]) => name);
}
