import Fastify, { type FastifyInstance } from "fastify";
import type { Kernel } from "../kernel.ts";
import { describeApi } from "../operation/openapi.ts";
import { StaticBody } from "./compression/static-body.ts";
import { JSON_MEDIA_TYPE } from "./request-body.ts";
import { renderYaml } from "./yaml.ts";

const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Millrace API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <script id="api-reference" data-url="/api/v1/openapi.json"
      data-configuration='{"withDefaultFonts":false,"hideClientButton":true,"telemetry":false,"agent":{"disabled":true},"mcp":{"disabled":true},"showDeveloperTools":"never"}'></script>
    <script src="/docs/reference.js"></script>
  </body>
</html>`;

/** Mounts the OpenAPI description, and a page to read it and try it. */
export function mountReference(app: FastifyInstance, kernel: Kernel): void {
  const json = new StaticBody(`${JSON_MEDIA_TYPE}; charset=utf-8`, "no-cache", async () =>
    JSON.stringify(describeApi(kernel.domains)),
  );
  const yaml = new StaticBody("application/yaml; charset=utf-8", "no-cache", async () =>
    renderYaml(describeApi(kernel.domains)),
  );
  app.get("/api/v1/openapi.json", (request, reply) => json.send(request, reply));
  app.get("/api/v1/openapi.yaml", (request, reply) => yaml.send(request, reply));
  app.get("/docs", async (_request, reply) =>
    reply
      .header("content-security-policy", REFERENCE_POLICY)
      .type("text/html; charset=utf-8")
      .send(REFERENCE_PAGE),
  );
  app.get("/docs/reference.js", (request, reply) => referenceScript.send(request, reply));
}

/**
 * The package carries its script of some megabytes inside a Fastify plug-in and offers it no other
 * way, so a short-lived instance serves it to us, at the first visit and not at every start.
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
