import type { FieldError } from "#kernel/operation/failure.ts";
import { pointerSegments, jsonPointer } from "#kernel/schema/json-pointer.ts";
import {
  type CheckContext,
  type ExpressionCheck,
  errorReporter,
  type NamesRead,
} from "./check-context.ts";
import type { Config, NodeType } from "../node-type.ts";
import { templateConfigErrors, isTemplate, splitConfig } from "../template.ts";

/** Checks a node configuration: the schema, the type's own check, and expressions. */
export function checkConfig(ctx: CheckContext, type: NodeType, config: Config, path: string): void {
  const report = errorReporter(ctx, path);
  const schemaErrors = templateConfigErrors(type.config, config);
  report(schemaErrors);
  if (schemaErrors.length === 0) {
    // Template values are only known at run time.
    report((type.check?.(config) ?? []).filter((error) => !isTemplate(valueAt(config, error))));
  }
  const { templates, expressions } = splitConfig(type.config, config);
  report(ctx.expressions.template(templates));
  for (const [name, text] of Object.entries(expressions)) {
    const errors = ctx.expressions.expression(text);
    report(errors.map(({ message }) => ({ path: `/${name}`, message })));
  }
  if (type.inside) {
    const paths = secretPaths(ctx.expressions, { ...templates, ...addBraces(expressions) });
    report(paths.map((at) => ({ path: at, message: SECRET })));
  }
}

/** The names used by expressions of a configuration. */
export function namesInConfig(
  { expressions: check }: CheckContext,
  type: NodeType,
  config: Config,
): readonly NamesRead[] {
  const { templates, expressions } = splitConfig(type.config, config);
  return [
    ...check.templateNames(templates),
    ...Object.entries(expressions).map(([name, text]) => ({
      path: `/${name}`,
      ...check.expressionNames(text),
    })),
  ];
}

const SECRET = "must not contain a secret, because it is stored and shown";

/** The paths of texts that use secrets. */
function secretPaths(expressions: ExpressionCheck, value: unknown): string[] {
  if (typeof value === "string") {
    return isTemplate(value) && expressions.readsSecrets(value) ? [""] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    return secretPaths(expressions, part).map((path) => jsonPointer("", name) + path);
  });
}

function addBraces(expressions: Readonly<Record<string, string>>): Config {
  return Object.fromEntries(
    Object.entries(expressions).map(([name, text]) => [name, `{{${text}}}`]),
  );
}

function valueAt(config: Config, { path }: FieldError): unknown {
  return pointerSegments(path).reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    // An object with the property can be read as a record.
    return (value as Config)[name];
  }, config);
}
