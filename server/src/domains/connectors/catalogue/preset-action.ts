import type { DiscoveredAction, Parameter } from "../openapi/discovered-action.ts";
import { parseInputField } from "./input-type.ts";
import type { PresetAction } from "./preset.ts";

const BODY_TYPES = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  text: "text/plain",
} as const;

/** Converts an action of a preset to the form of OpenAPI actions. */
export function toDiscoveredAction(action: PresetAction): DiscoveredAction {
  const { id: name, title: summary, request, input = {}, as = "json" } = action;
  const [method = "", path = ""] = request.split(" ");
  const fields = Object.entries(input).map(([key, text]) => ({
    parameter: parsePlace(key, method, path),
    ...parseInputField(text),
  }));
  const hasBody = fields.some(({ parameter }) => parameter.in === "body") || action.fixed?.body;
  const required = fields.filter(({ isRequired }) => isRequired);
  const properties = fields.map(({ parameter, schema }) => [parameter.field, schema]);
  return {
    name,
    summary,
    method,
    path,
    parameters: fields.map(({ parameter }) => parameter),
    bodyType: hasBody ? BODY_TYPES[as] : null,
    input: {
      type: "object",
      properties: {
        ...Object.fromEntries(properties),
        ...(action.paging && { pagesMax: PAGES }),
      },
      ...(required.length > 0 && { required: required.map(({ parameter }) => parameter.field) }),
      additionalProperties: false,
    },
    ...pickOptions(action),
  };
}

const PAGES = {
  type: "integer",
  minimum: 1,
  maximum: 50,
  default: 1,
  description: "Maximum number of pages. `items` contains the items of all pages",
};

function pickOptions({ fixed, compose, items, paging, idempotent }: PresetAction) {
  return {
    ...(fixed && { fixed: fixed as NonNullable<DiscoveredAction["fixed"]> }),
    ...(compose !== undefined && { compose }),
    ...(items !== undefined && { items }),
    ...(paging && { paging }),
    ...(idempotent !== undefined && { idempotent }),
  };
}

/**
 * Parses the name of an input: `field`, `field>place:name`, or `field>name`. Without a place, it belongs to the
 * path if the path names it, otherwise to the body if the method has one, otherwise to the query.
 */
function parsePlace(key: string, method: string, path: string): Parameter {
  const [field = "", target = field] = key.split(">");
  const explicit = /^(path|query|header|body):(.*)$/.exec(target);
  if (explicit) {
    return {
      field,
      in: explicit[1] as Parameter["in"],
      name: explicit[2] ?? "",
      style: "exploded",
    };
  }
  const isInPath = path.includes(`{${target}}`) || path.includes(`{+${target}}`);
  const place = isInPath ? "path" : /^(GET|HEAD|DELETE)$/.test(method) ? "query" : "body";
  return { field, in: place, name: target, style: place === "query" ? "exploded" : "plain" };
}
