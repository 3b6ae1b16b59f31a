import { COMPONENT_COMMON, COMPONENTS } from "./component.ts";
import { ACTION_COMMON, ACTIONS } from "./action.ts";
import { SOURCES } from "./data-source.ts";
import type { TProperties } from "typebox";

type Json = Readonly<Record<string, unknown>>;

const COMPONENT = { $ref: "#/$defs/component" };
const ACTION = { $ref: "#/$defs/action" };
const { then: _, ...common } = plain(ACTION_COMMON);
/** What every action may have, with the actions that follow it. */
// oxlint-disable-next-line unicorn/no-thenable
const FOLLOWED = { ...common, then: listOf(ACTION) };
const CONTAINERS = ["tabs", "columns"];

/** The JSON Schema of a page's component tree, with what its parts refer to. */
export function publishedSchema(): Json {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Components of an app's page",
    description:
      "Texts may have bindings, `{{ JSONata }}`, that read `data.<source>`, `inputs`, `params`, `user`, " +
      "`context`, and in actions `row` and `result`.",
    type: "array",
    items: COMPONENT,
    $defs: {
      component: { oneOf: Object.keys(COMPONENTS).map((name) => ({ $ref: `#/$defs/${name}` })) },
      action: { oneOf: Object.keys(ACTIONS).map((name) => ({ $ref: `#/$defs/${name}` })) },
      ...Object.fromEntries(
        Object.entries(COMPONENTS).map(([name, own]) => [
          name,
          componentSchema(name, { ...COMPONENT_COMMON, ...own }),
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(ACTIONS).map(([name, own]) => [
          name,
          typed(name, { ...plain(own), ...FOLLOWED }, own),
        ]),
      ),
      dataSource: {
        oneOf: Object.entries(SOURCES).map(([kind, config]) => ({
          type: "object",
          properties: {
            name: { type: "string" },
            kind: { const: kind },
            config: closed(plain(config), config),
          },
          required: ["name", "kind", "config"],
        })),
      },
    },
  };
}

/** Where a component holds others or does something, the schema of that in place of anything. */
function componentSchema(name: string, own: TProperties): Json {
  const properties: Record<string, unknown> = plain(own);
  if ("components" in properties) properties["components"] = listOf(COMPONENT);
  if ("action" in properties) properties["action"] = ACTION;
  if ("submit" in properties) properties["submit"] = ACTION;
  if ("rowActions" in properties) {
    properties["rowActions"] = inside(properties["rowActions"], { action: ACTION });
  }
  if (CONTAINERS.includes(name)) {
    properties[name] = inside(properties[name], { components: listOf(COMPONENT) });
  }
  return typed(name, properties, own);
}

/** A list of objects, with some of their members described anew. */
function inside(list: unknown, members: Json): Json {
  const { items, ...rest } = list as { readonly items: { readonly properties: object } };
  return { ...rest, items: { ...items, properties: { ...items.properties, ...members } } };
}

function typed(name: string, properties: Json, own: TProperties): Json {
  const schema = closed({ type: { const: name }, ...properties }, own);
  return { ...schema, required: ["type", ...(schema["required"] as string[])] };
}

function closed(properties: Json, own: TProperties): Json {
  const required = Object.entries(own)
    .filter(([, schema]) => !("~optional" in schema))
    .map(([field]) => field);
  return { type: "object", properties, required, additionalProperties: false };
}

function listOf(items: Json): Json {
  return { type: "array", items };
}

/** As JSON has it, without what is TypeBox's own. */
function plain(properties: TProperties): Record<string, unknown> {
  return JSON.parse(JSON.stringify(properties)) as Record<string, unknown>;
}
