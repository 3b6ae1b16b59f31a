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
      { name: "api", description: "This description." },
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

Every request but those marked otherwise carries \`Authorization: Bearer …\` and \`X-Workspace: <slug>\`.
Answers are \`{ "data": … }\`; lists add \`pagination\`, and \`after=<nextCursor>\` goes on. Failures are
problem documents (RFC 9457) with a stable \`code\`. \`Idempotency-Key\` makes POST and PATCH safe to
repeat for 24 hours; \`If-Match\` with an \`ETag\` guards an update. Every change appends the events that
\`x-events\` names, in the same transaction. With \`Prefer: dry-run\`, or \`?dryRun=true\`, a command that
has that header is performed and taken back: it answers 200 with \`{ "data": DryRun }\`, which holds the
answer, the events and the changes that there would have been.`;

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
        summary: `Get this description as ${format.toUpperCase()}`,
        description: "With an ETag: a client that has it may ask with `If-None-Match`.",
        tags: ["api"],
        security: [],
        responses: {
          200: { description: "It went well.", content: { [mediaType]: { schema } } },
          304: { description: "It is the one that `If-None-Match` names." },
        },
        "x-permission": null,
        "x-events": [],
      },
    },
  ]),
);
