import { checkExpression } from "#kernel/expression/expression.ts";
import { compileTemplatePlan } from "#kernel/expression/template-plan.ts";
import { ANY_NAME } from "#kernel/expression/references.ts";
import type { FieldError } from "#kernel/operation/failure.ts";

/** The names that the configuration of a data source can read. */
export const SOURCE_ROOTS = ["inputs", "params", "selected", "user", "context"] as const;
/** The names that a component and its actions can read. */
export const PAGE_ROOTS = [...SOURCE_ROOTS, "data", "row", "result"] as const;

/** The name of a data source behind `data.`. */
const SOURCE = /(?<![.\w$`"'])data\.([A-Za-z]\w*)/g;

/** Returns field errors of the expressions in a value: invalid syntax and unknown names. */
export function checkBindings(
  value: unknown,
  basePath: string,
  { roots, sources }: { readonly roots: readonly string[]; readonly sources: ReadonlySet<string> },
): FieldError[] {
  const { slots, errors: templateErrors } = compileTemplatePlan(value);
  const errors: FieldError[] = templateErrors.map((error) => ({
    ...error,
    path: basePath + error.path,
  }));
  for (const { text, path, offset } of slots) {
    const { issues: expressionErrors, references } = checkExpression(text);
    for (const { message, position } of expressionErrors) {
      errors.push({ path: basePath + path, message, position: offset + position });
    }
    const unknown = references.roots.filter((name) => name !== ANY_NAME && !roots.includes(name));
    for (const name of unknown) {
      errors.push({
        path: basePath + path,
        message: `reads ${name}, and there is only ${roots.join(", ")}`,
      });
    }
    if (!roots.includes("data")) continue;
    for (const name of listSourceNames(text)) {
      if (sources.has(name)) continue;
      errors.push({
        path: basePath + path,
        message: `uses ${name}, which is not a data source of this app`,
      });
    }
  }
  return errors;
}

/** Lists the data sources that the expressions of a value may read; `*` means all of them. */
export function listSourcesRead(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of compileTemplatePlan(value).slots) {
    const { roots } = checkExpression(text).references;
    if (!roots.includes("data") && !roots.includes(ANY_NAME)) continue;
    const named = listSourceNames(text);
    // It may read them in other ways, such as with `$lookup`.
    const all = roots.includes(ANY_NAME) || text.match(/\bdata\b/g)?.length !== named.length;
    for (const name of all ? [...named, ANY_NAME] : named) names.add(name);
  }
  return names;
}

function listSourceNames(text: string): string[] {
  return [...text.matchAll(SOURCE)].map(([, name = ""]) => name);
}
