import Fastify, { type FastifyInstance } from "fastify";
import type { Kernel } from "../kernel.ts";
import { describeApi } from "../operation/openapi.ts";
import { mountPage } from "./routes.ts";

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
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

/** The machine-readable description, and a page to read it and try it. */
export function mountReference(app: FastifyInstance, kernel: Kernel): void {
  let json: string | undefined;
  let yaml: string | undefined;
  mountPage(app, "/api/v1/openapi.json", async (_request, reply) => {
    json ??= JSON.stringify(describeApi(kernel.domains));
    return reply.type("application/json; charset=utf-8").send(json);
  });
  mountPage(app, "/api/v1/openapi.yaml", async (_request, reply) => {
    // Of the few who ask for YAML, none minds a moment; every start would mind the memory.
    const { stringify } = await import("yaml");
    yaml ??= stringify(describeApi(kernel.domains), { aliasDuplicateObjects: false });
    return reply.type("application/yaml; charset=utf-8").send(yaml);
  });
  mountPage(app, "/docs", async (_request, reply) =>
    reply
      .header("content-security-policy", PAGE_POLICY)
      .type("text/html; charset=utf-8")
      .send(PAGE),
  );
  mountPage(app, "/docs/reference.js", async (_request, reply) =>
    reply
      .header("cache-control", "public, max-age=3600")
      .type("text/javascript; charset=utf-8")
      .send(await referenceScript()),
  );
}

let script: Promise<Buffer> | undefined;

/**
 * The package carries its script of some megabytes inside a Fastify plug-in and offers it no other
 * way, so a short-lived instance serves it to us, at the first visit and not at every start.
 */
function referenceScript(): Promise<Buffer> {
  script ??= (async () => {
    const { default: reference } = await import("@scalar/fastify-api-reference");
    const host = Fastify();
    await host.register(reference, { routePrefix: "/", configuration: { content: {} } } as never);
    const { rawPayload } = await host.inject("/js/scalar.js");
    await host.close();
    return rawPayload;
  })();
  return script;
}
