import type { Domain } from "../../contract.ts";
import { EventEnvelope } from "../../log/event.ts";
import { JSON_MEDIA_TYPE } from "../../http/request-body.ts";
import { DryRun } from "../dry-run.ts";
import { Problem } from "../problem.ts";
import { Components, type DescriptionPart } from "./components.ts";
import { describeOperation, describeRoute } from "./describe-operation.ts";
import { Parameters } from "./describe-parameters.ts";

/** The OpenAPI 3.1 description of all declared operations. */
export function describeApi(domains: readonly Domain[]): DescriptionPart {
  const components = new Components();
  const parameters = new Parameters(
    domains.flatMap(({ operations }) => operations),
    components,
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { operations, tag, name } of domains) {
    for (const op of operations) {
      for (const route of [op.route, ...(op.aliases ?? [])]) {
        const { method, path } = describeRoute(route);
        paths[path] ??= {};
        paths[path][method.toLowerCase()] = describeOperation(op, route, {
          tag: tag ?? name,
          parameters,
          components,
        });
      }
    }
  }
  Object.assign(paths, DESCRIPTION_PATHS);
  components.ref(Problem);
  components.ref(EventEnvelope);
  components.ref(DryRun);
  return {
    openapi: "3.1.0",
    info: { title: "Millrace", version: "1", description: DESCRIPTION },
    servers: [{ url: "/" }],
    tags: [
      ...domains
        .filter(({ tag }) => tag === undefined)
        .map(({ name, summary }) => ({ name, description: summary })),
      { name: "api", description: "The OpenAPI description." },
    ],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A session or API token." },
      },
      parameters: sortByName(parameters.components),
      requestBodies: sortByName(components.requestBodies),
      responses: sortByName(components.responses),
      schemas: components.schemas,
    },
  };
}

function sortByName(parts: DescriptionPart): DescriptionPart {
  return Object.fromEntries(Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const DESCRIPTION = `Workflow automation, internal apps, tables, integrations and IT service management.

Send \`Authorization: Bearer …\` and \`X-Workspace: <slug>\` with every request, unless an operation says otherwise.
Responses are \`{ "data": … }\`. Lists add \`pagination\`; send \`after=<nextCursor>\` to get the next page. Errors are
problem documents (RFC 9457) with a stable \`code\`. With an \`Idempotency-Key\`, you can safely repeat a POST or PATCH
for 24 hours. Send \`If-Match\` with an \`ETag\` to update a resource only if it did not change. Every change appends the events
listed in \`x-events\`, in the same transaction. Commands with the header \`Prefer\` support dry runs: with \`Prefer: dry-run\`,
or \`?dryRun=true\`, the command runs and is rolled back. The response is 200 with \`{ "data": DryRun }\`: the response, the
events and the changes that the command would produce.`;

/** The addresses of the description itself. They are not operations, and every client can cache them. */
const DESCRIPTION_PATHS = Object.fromEntries(
  [
    { format: "json", mediaType: JSON_MEDIA_TYPE, schema: { type: "object" } },
    { format: "yaml", mediaType: "application/yaml", schema: { type: "string" } },
  ].map(({ format, mediaType, schema }) => [
    `/api/v1/openapi.${format}`,
    {
      get: {
        operationId: `api.describe_${format}`,
        summary: `Get the OpenAPI description as ${format.toUpperCase()}`,
        description:
          "The response has an ETag. Send it in `If-None-Match` to download the description only if it changed.",
        tags: ["api"],
        security: [],
        responses: {
          200: { description: "Success.", content: { [mediaType]: { schema } } },
          304: { description: "Not changed: the ETag matches `If-None-Match`." },
        },
        "x-permission": null,
        "x-events": [],
      },
    },
  ]),
);
