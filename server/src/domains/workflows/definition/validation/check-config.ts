import type { FieldError } from "#kernel/operation/failure.ts";
import { pointerSegments, jsonPointer } from "#kernel/schema/json-pointer.ts";
import { type CheckContext, type ExpressionCheck, errorReporter } from "./check-context.ts";
import type { Config, NodeType } from "../node-type.ts";
import { faultsWithTemplates, isTemplate, partsOf } from "../template.ts";

/** Finds the faults of a node's configuration: its shape, what its type adds, its expressions. */
export function checkConfig(
  checking: CheckContext,
  type: NodeType,
  config: Config,
  path: string,
): void {
  const report = errorReporter(checking, path);
  const faults = faultsWithTemplates(type.config, config);
  report(faults);
  if (faults.length === 0) {
    // What a template becomes is known only when the step runs.
    report((type.check?.(config) ?? []).filter((fault) => !isTemplate(valueAt(config, fault))));
  }
  const { templates, expressions } = partsOf(type.config, config);
  report(checking.expressions.template(templates));
  for (const [name, text] of Object.entries(expressions)) {
    const found = checking.expressions.expression(text);
    report(found.map(({ message }) => ({ path: `/${name}`, message })));
  }
  if (type.inside) {
    const paths = secretPaths(checking.expressions, { ...templates, ...bracedOf(expressions) });
    report(paths.map((at) => ({ path: at, message: SECRET })));
  }
}

const SECRET = "must not hold a secret: it would be kept and shown";

/** Where the texts of a value read secrets. */
function secretPaths(expressions: ExpressionCheck, value: unknown): string[] {
  if (typeof value === "string") {
    return isTemplate(value) && expressions.readsSecrets(value) ? [""] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    return secretPaths(expressions, part).map((path) => jsonPointer("", name) + path);
  });
}

function bracedOf(expressions: Readonly<Record<string, string>>): Config {
  return Object.fromEntries(
    Object.entries(expressions).map(([name, text]) => [name, `{{${text}}}`]),
  );
}

function valueAt(config: Config, { path }: FieldError): unknown {
  return pointerSegments(path).reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    // An object that has the property can be read as a record.
    return (value as Config)[name];
  }, config);
}
