import Type from "typebox";
import { nodeType } from "#domains/workflows/index.ts";

/** The node type of an artifact in definitions: `module.name`. */
const CUSTOM_TYPE = /^([A-Za-z0-9][A-Za-z0-9_-]{0,99})\.(\S.{0,199})$/;

/** The module and name in the type of an artifact node. */
export function parseCustomType(
  type: string,
): { readonly moduleKey: string; readonly name: string } | undefined {
  const [, moduleKey, name] = CUSTOM_TYPE.exec(type) ?? [];
  return moduleKey !== undefined && name !== undefined ? { moduleKey, name } : undefined;
}

/** The node type that executes all of them. */
export const customNode = nodeType({
  type: "custom",
  summary: "Runs an artifact of this workspace with the configuration as input",
  config: Type.Object({}, { additionalProperties: true }),
  form: { title: "Custom node", group: "Code", icon: "boxes", first: {}, fields: {} },
  output: Type.Unknown(),
  branches: "none",
  effect: "outside",
});

/** True for a node type that an artifact may implement. */
export function isCustomType(type: string): boolean {
  return CUSTOM_TYPE.test(type);
}
