import type { Operation, Route } from "../../contract.ts";
import { FORM_MEDIA_TYPE } from "../../http/request-body.ts";
import type { Components, DescriptionPart } from "./components.ts";
import { type Parameters, REST } from "./describe-parameters.ts";
import { describeResponses, needsCredential } from "./describe-responses.ts";

/** A route's method and path. In OpenAPI a wildcard at the end of a path is an ordinary parameter. */
export function describeRoute(route: Route): { method: string; path: string } {
  const [method, path] = route.split(" ") as [string, string];
  return { method, path: path.replace(/\*$/, `{${REST}}`) };
}

/** Describes an operation on one of its routes. An alias references the parts it shares with the operation. */
export function describeOperation(
  op: Operation,
  route: Route,
  {
    tag,
    parameters,
    components,
  }: { readonly tag: string; readonly parameters: Parameters; readonly components: Components },
): DescriptionPart {
  const isAlias = route !== op.route;
  const body = describeBody(op, components);
  return {
    operationId: describeOperationId(op, route),
    // Tools list an operation once.
    ...(isAlias && { "x-alias-of": op.id, "x-scalar-ignore": true }),
    summary: op.summary,
    ...(op.description && !isAlias && { description: op.description }),
    tags: [tag],
    ...(!needsCredential(op) && { security: [] }),
    parameters: parameters.of(op, describeRoute(route).path),
    ...(body && {
      requestBody: op.aliases ? components.share("requestBodies", op.id, body) : body,
    }),
    responses: describeResponses(op, components),
    "x-permission": op.permission?.name ?? null,
    "x-events": op.emits.map(({ type }) => type),
    ...(op.permission?.impliedBy && { "x-implied-by": op.permission.impliedBy }),
    ...(op.access === "account" && { "x-account": true }),
    ...(op.ownersInPerson && { "x-owners-only": true }),
    ...(op.states && { "x-states": op.states }),
  };
}

/** Builds a separate id for an alias, using only characters valid in all languages. */
function describeOperationId({ id, aliases = [] }: Operation, route: Route): string {
  const index = aliases.indexOf(route);
  if (index === -1) return id;
  return `${id}_alias${index === 0 ? "" : index + 1}`;
}

function describeBody(op: Operation, components: Components): DescriptionPart | undefined {
  if (op.streamsBody) return { required: true, content: UPLOAD_CONTENT };
  if (op.readsRequest) return { required: false, content: { "*/*": {} } };
  if (!op.body) return undefined;
  const schema = components.resolve(op.body);
  return {
    required: op.bodyOptional !== true,
    content: {
      "application/json": {
        schema,
        ...(op.example?.body !== undefined && { example: op.example.body }),
      },
      ...(op.acceptsForm && { [FORM_MEDIA_TYPE]: { schema } }),
      ...(op.acceptsText && { [op.acceptsText.mediaType]: { schema: { type: "string" } } }),
    },
  };
}

const UPLOAD_CONTENT: DescriptionPart = {
  "application/octet-stream": { schema: { type: "string", format: "binary" } },
  "multipart/form-data": {
    schema: {
      type: "object",
      required: ["file"],
      properties: { file: { type: "string", format: "binary" } },
    },
  },
};
