import type { Fault } from "#kernel/failure.ts";
import { type Checking, reporter } from "./checking.ts";
import type { Config, NodeType } from "./node-type.ts";
import { faultsWithTemplates, isTemplate, partsOf } from "./template.ts";

/** Finds the faults of a node's configuration: its shape, what its type adds, its expressions. */
export function checkConfig(
  checking: Checking,
  type: NodeType,
  config: Config,
  path: string,
): void {
  const report = reporter(checking, path);
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
}

function valueAt(config: Config, { path }: Fault): unknown {
  const keys = path.split("/").slice(1);
  return keys.reduce<unknown>((value, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    // An object that has the property can be read as a record.
    return (value as Config)[name];
  }, config);
}
