import { COMPONENT_COMMON, COMPONENTS } from "./component.ts";
import { ACTION_COMMON, ACTIONS } from "./action.ts";
import { SOURCES } from "./data-source.ts";
import type { TProperties } from "typebox";

type Json = Readonly<Record<string, unknown>>;

const COMPONENT = { $ref: "#/$defs/component" };
const ACTION = { $ref: "#/$defs/action" };
const { then: _, ...common } = toJson(ACTION_COMMON);
/** The fields of all actions, including the next actions. */
// oxlint-disable-next-line unicorn/no-thenable
const ACTION_FIELDS = { ...common, then: arrayOf(ACTION) };
const CONTAINERS = ["tabs", "columns"];

/** Builds the JSON Schema of a page's component tree, with actions and data sources. */
export function buildPublishedSchema(): Json {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Components of an app's page",
    description:
      "Texts can contain bindings, `{{ JSONata }}`, with `data.<source>`, `inputs`, `params`, `user`, `context`, and in actions `row` and `result`.",
    type: "array",
    items: COMPONENT,
    $defs: {
      component: { oneOf: Object.keys(COMPONENTS).map((name) => ({ $ref: `#/$defs/${name}` })) },
      action: { oneOf: Object.keys(ACTIONS).map((name) => ({ $ref: `#/$defs/${name}` })) },
      ...Object.fromEntries(
        Object.entries(COMPONENTS).map(([name, fields]) => [
          name,
          buildComponentSchema(name, { ...COMPONENT_COMMON, ...fields }),
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(ACTIONS).map(([name, fields]) => [
          name,
          buildTypedSchema(name, { ...toJson(fields), ...ACTION_FIELDS }, fields),
        ]),
      ),
      dataSource: {
        oneOf: Object.entries(SOURCES).map(([kind, config]) => ({
          type: "object",
          properties: {
            name: { type: "string" },
            kind: { const: kind },
            config: buildObjectSchema(toJson(config), config),
          },
          required: ["name", "kind", "config"],
        })),
      },
    },
  };
}

/** Replaces the open schemas of children and actions with references. */
function buildComponentSchema(name: string, fields: TProperties): Json {
  const properties: Record<string, unknown> = toJson(fields);
  if ("components" in properties) properties["components"] = arrayOf(COMPONENT);
  if ("action" in properties) properties["action"] = ACTION;
  if ("submit" in properties) properties["submit"] = ACTION;
  if ("rowAction" in properties) properties["rowAction"] = ACTION;
  for (const list of ["rowActions", "bulkActions"].filter((each) => each in properties)) {
    properties[list] = withMemberSchemas(properties[list], { action: ACTION });
  }
  if (CONTAINERS.includes(name)) {
    properties[name] = withMemberSchemas(properties[name], { components: arrayOf(COMPONENT) });
  }
  return buildTypedSchema(name, properties, fields);
}

/** Replaces the schemas of some members in a list of objects. */
function withMemberSchemas(list: unknown, members: Json): Json {
  const { items, ...rest } = list as { readonly items: { readonly properties: object } };
  return { ...rest, items: { ...items, properties: { ...items.properties, ...members } } };
}

function buildTypedSchema(name: string, properties: Json, fields: TProperties): Json {
  const schema = buildObjectSchema({ type: { const: name }, ...properties }, fields);
  return { ...schema, required: ["type", ...(schema["required"] as string[])] };
}

function buildObjectSchema(properties: Json, fields: TProperties): Json {
  const required = Object.entries(fields)
    .filter(([, schema]) => !("~optional" in schema))
    .map(([field]) => field);
  return { type: "object", properties, required, additionalProperties: false };
}

function arrayOf(items: Json): Json {
  return { type: "array", items };
}

/** Drops TypeBox's own symbols. */
function toJson(properties: TProperties): Record<string, unknown> {
  return JSON.parse(JSON.stringify(properties)) as Record<string, unknown>;
}
