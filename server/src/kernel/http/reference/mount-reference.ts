/** The API reference for people: server-rendered pages, and an interactive console per area. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { HtmlDocument } from "../../html/markup.ts";
import type { Kernel } from "../../kernel.ts";
import { Failure, NotFound } from "../../operation/failure.ts";
import { describeApi } from "../../operation/description/describe-api.ts";
import { StaticBody } from "../compression/static-body.ts";
import { JSON_MEDIA_TYPE } from "../request-body.ts";
import { renderYaml } from "../yaml.ts";
import {
  listAreas,
  narrowDescription,
  type ReferenceEntry,
  searchAreas,
} from "./reference-entry.ts";
import { operationDocument, referenceDocument } from "./reference-page.ts";

const TRY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Mounts the OpenAPI description, the list of operations, a page per operation, and the console by area. */
export function mountReference(app: FastifyInstance, kernel: Kernel): void {
  const json = new StaticBody(`${JSON_MEDIA_TYPE}; charset=utf-8`, "no-cache", async () =>
    JSON.stringify(describeApi(kernel.domains)),
  );
  const yaml = new StaticBody("application/yaml; charset=utf-8", "no-cache", async () =>
    renderYaml(describeApi(kernel.domains)),
  );
  app.get("/api/v1/openapi.json", (request, reply) => json.send(request, reply));
  app.get("/api/v1/openapi.yaml", (request, reply) => yaml.send(request, reply));
  mountPages(app, kernel);
}

function mountPages(app: FastifyInstance, kernel: Kernel): void {
  const areas = listAreas(kernel.domains);
  const entries = new Map<string, ReferenceEntry>(
    areas.flatMap((area) => area.entries.map((entry) => [entry.operation.id, entry] as const)),
  );
  app.get("/docs", async (request, reply) => {
    const { q } = request.query as { readonly q?: unknown };
    const query = typeof q === "string" ? q.slice(0, 100) : "";
    return sendDocument(reply, referenceDocument(searchAreas(areas, query), query));
  });
  app.get("/docs/operations/:id", async (request, reply) => {
    const entry = entries.get(readParam(request, "id"));
    if (!entry) throw new Failure(NotFound);
    return sendDocument(reply, operationDocument(entry));
  });
  mountConsole(app, kernel, new Set(areas.map(({ name }) => name)));
}

function mountConsole(app: FastifyInstance, kernel: Kernel, areas: ReadonlySet<string>): void {
  const descriptions = new Map<string, string>();
  const areaOf = (request: FastifyRequest): string => {
    const area = readParam(request, "area");
    if (!areas.has(area)) throw new Failure(NotFound);
    return area;
  };
  app.get("/docs/try/:area", async (request, reply) =>
    reply
      .header("content-security-policy", TRY_POLICY)
      .type("text/html; charset=utf-8")
      .send(renderConsole(areaOf(request))),
  );
  app.get("/docs/try/:area/openapi.json", async (request, reply) => {
    const area = areaOf(request);
    const known = descriptions.get(area);
    const text = known ?? JSON.stringify(narrowDescription(describeApi(kernel.domains), area));
    if (known === undefined) descriptions.set(area, text);
    return reply.type("application/json; charset=utf-8").send(text);
  });
  app.get("/docs/reference.js", (request, reply) => referenceScript.send(request, reply));
}

function renderConsole(area: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Millrace API: ${area}</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <script id="api-reference" data-url="/docs/try/${area}/openapi.json"
      data-configuration='{"withDefaultFonts":false,"hideClientButton":true,"telemetry":false,"agent":{"disabled":true},"mcp":{"disabled":true},"showDeveloperTools":"never"}'></script>
    <script src="/docs/reference.js"></script>
  </body>
</html>`;
}

function sendDocument(reply: FastifyReply, { html, policy, headers }: HtmlDocument): FastifyReply {
  return reply
    .headers({ ...headers, "content-security-policy": policy })
    .type("text/html; charset=utf-8")
    .send(html);
}

function readParam(request: FastifyRequest, name: string): string {
  return String((request.params as Record<string, unknown>)[name]);
}

/**
 * The package offers its script of several megabytes only inside a Fastify plug-in, so a temporary instance
 * serves it to this code, on the first visit and not at every start.
 */
const referenceScript = new StaticBody(
  "text/javascript; charset=utf-8",
  "public, max-age=3600",
  async () => {
    const { default: reference } = await import("@scalar/fastify-api-reference");
    const host = Fastify();
    await host.register(reference, { routePrefix: "/", configuration: { content: {} } } as never);
    const { rawPayload } = await host.inject("/js/scalar.js");
    await host.close();
    return rawPayload;
  },
);
