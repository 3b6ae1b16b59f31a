import { artifact, isTemplate, type ReferenceCheck, transform } from "#domains/workflows/index.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { closestName } from "#kernel/schema/closest-name.ts";
import { checkPayload, type Fields } from "../artifacts/fields.ts";
import { find, findByName } from "../artifacts/store.ts";
import { parseCustomType } from "./custom-node.ts";

/** Finds nodes whose artifact does not exist or whose inputs do not match it. */
export const checkArtifactNodes: ReferenceCheck = async ({ tx }, { nodes }) => {
  const errors: FieldError[] = [];
  for (const { type, config, path } of nodes) {
    const custom = parseCustomType(type);
    if (custom) {
      const known = await findByName(tx, custom.moduleKey, custom.name);
      if (known) errors.push(...inputErrors(known.definition.inputs, config, `${path}/config`));
      continue;
    }
    const { artifactId } = config;
    const isArtifact = type === artifact.type || type === transform.type;
    if (!isArtifact || typeof artifactId !== "string" || isTemplate(artifactId)) continue;
    if (!(await find(tx, artifactId))) {
      const message = "is not an artifact of this workspace";
      errors.push({ path: `${path}/config/artifactId`, message });
    }
  }
  return { errors };
};

/** Errors of literals and names. Template values are only known when the step runs. */
function inputErrors(
  inputs: Fields,
  config: Readonly<Record<string, unknown>>,
  path: string,
): FieldError[] {
  const names = Object.keys(inputs);
  if (names.length === 0) return [];
  const literals = Object.fromEntries(
    Object.entries(config).filter(([, value]) => !isTemplate(value)),
  );
  const fixed = Object.fromEntries(
    Object.entries(inputs).filter(([name]) => !isTemplate(config[name])),
  );
  const unknown = Object.keys(config).filter((name) => !names.includes(name));
  return [
    ...checkPayload(fixed, literals, path),
    ...unknown.map((name) => {
      const closest = closestName(name, names);
      const hint =
        closest === undefined ? `it has ${names.join(", ")}` : `did you mean ${closest}?`;
      return { path: `${path}/${name}`, message: `is not an input of this node (${hint})` };
    }),
  ];
}
