import { resourcePack } from "#kernel/resource/pack.ts";
import { object } from "#kernel/schema/schema.ts";
import { variableResource } from "./variable.ts";

/** Variables as pack content, with their values of all environments: nothing secret is in them. */
export const variableContent = resourcePack(variableResource, {
  environmentScoped: false,
  schema: object(variableResource.declaration.input.properties, { title: "PackVariable" }),
});
