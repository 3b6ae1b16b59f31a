import Type, { type Static } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { AUTH_KINDS } from "../auth.ts";
import { type Json, MASK } from "../credentials.ts";
import type { DiscoveredApi, DiscoveredAction } from "../openapi/discovered-action.ts";
import { readDocument } from "../openapi/read-document.ts";
import { runAction } from "../openapi/run-action.ts";
import { AddressSchema, ConfigHeaders, headerErrors, urlErrors } from "../upstream/target.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { connectorType, limits } from "./connector-type.ts";
import { testHttp } from "./http.ts";
import { notDestination } from "../destination-mark.ts";

const DOCUMENT_CHARACTERS_MAX = 4_000_000;
const FETCH_TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 3;

const config = object({
  document: Type.Optional(
    notDestination(
      text(
        DOCUMENT_CHARACTERS_MAX,
        "An OpenAPI document of version 3, as JSON or YAML. It is parsed and not stored: it is returned as `***`, and sending `***` keeps the parsed document",
      ),
    ),
  ),
  url: Type.Optional(
    notDestination(
      AddressSchema(
        "URL of the document instead. It is loaded when the connector is saved and at each `refresh`",
      ),
    ),
  ),
  baseUrl: Type.Optional(
    AddressSchema("URL of the API. Default: the first server of the document"),
  ),
  headers: Type.Optional(ConfigHeaders),
  testPath: Type.Optional(
    notDestination(line(2_000, "Path for `test`. Without it, a 404 is also accepted")),
  ),
  ...limits,
});
type Config = Static<typeof config>;

/** An API that describes itself: each operation is an action. */
export const openapi = connectorType({
  type: "openapi",
  summary: "An API with an OpenAPI document. Each of its operations is an action",
  config,
  authKinds: AUTH_KINDS,
  actions: [],
  check: (platform, { document, url, baseUrl, headers }) => [
    ...((document === undefined) === (url === undefined)
      ? [{ path: "/config/document", message: "is required without a url" }]
      : []),
    ...(url === undefined ? [] : urlErrors(platform, "/config/url", url)),
    ...(baseUrl === undefined ? [] : urlErrors(platform, "/config/baseUrl", baseUrl)),
    ...headerErrors("/config/headers", headers),
  ],
  test: (connection) => testHttp(connection, withBaseUrl(connection.config)),
  documented: {
    discover,
    toStoredConfig: (stored) =>
      stored.document === undefined ? stored : { ...stored, document: MASK },
    toEffectiveConfig: (stored, serverUrl) =>
      serverUrl === null ? stored : { baseUrl: serverUrl, ...stored },
    run: (connection: UpstreamConnection<Config>, action: DiscoveredAction, input: unknown) =>
      // The schema of all such actions is an object.
      runAction(connection, withBaseUrl(connection.config), action, input as Json),
  },
});

/** A stored connector always has a base URL: its own, or that of the document. */
function withBaseUrl(stored: Config): Config & { readonly baseUrl: string } {
  return { ...stored, baseUrl: stored.baseUrl ?? "" };
}

async function discover(platform: Platform, stored: Config): Promise<DiscoveredApi | undefined> {
  const { document, url, baseUrl } = stored;
  if (document === MASK) return undefined;
  const field = url === undefined ? "/config/document" : "/config/url";
  const content = document ?? (await fetchDocument(platform, url ?? ""));
  const result = await readDocument({ text: content, from: url });
  if ("error" in result) throw invalidField(field, result.error);
  const { serverUrl } = result.discovered;
  if (baseUrl === undefined) {
    if (serverUrl === null)
      throw invalidField("/config/baseUrl", "is required, because the document has no server");
    const [error] = urlErrors(platform, "/config/baseUrl", serverUrl);
    if (error) throw invalidField(error.path, error.message);
  }
  return result.discovered;
}

/** Fetches the document without the credentials, which belong to the API. */
async function fetchDocument({ outbound }: Platform, url: string): Promise<string> {
  try {
    const { status, body, truncated } = await outbound.request({
      method: "GET",
      url,
      headers: { accept: "application/json, application/yaml, */*", "accept-encoding": "identity" },
      timeoutMs: FETCH_TIMEOUT_MS,
      maxResponseBytes: DOCUMENT_CHARACTERS_MAX,
      allowHttp: true,
      redirects: REDIRECTS_MAX,
    });
    if (truncated) throw invalidField("/config/url", "refers to a document that is too large");
    if (status !== 200)
      throw invalidField("/config/url", `can't be loaded: the response was ${status}`);
    return Buffer.from(body).toString();
  } catch (error) {
    if (!(error instanceof OutboundFailed || error instanceof OutboundRefused)) throw error;
    throw invalidField("/config/url", `can't be loaded: ${error.message}`);
  }
}
