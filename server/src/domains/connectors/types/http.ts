import { assertNoErrors } from "#kernel/operation/failure.ts";
import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { AUTH_KINDS } from "../auth.ts";
import { RESPONSE_FORMS } from "#domains/files/index.ts";
import type { HttpResponse } from "../upstream/response.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import { callHttp, type Headers } from "../upstream/http.ts";
import {
  AddressSchema,
  encodeBody,
  ConfigHeaders,
  headerErrors,
  urlErrors,
  InputHeaders,
  mergeHeaders,
  joinUrl,
  withQuery,
} from "../upstream/target.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { action, connectorType, limits, type TestAnswer } from "./connector-type.ts";
import { notDestination } from "../destination-mark.ts";

const config = object({
  baseUrl: AddressSchema("Base URL. Requests can only use URLs below it"),
  headers: Type.Optional(ConfigHeaders),
  testPath: Type.Optional(
    notDestination(line(2_000, "Path for `test`. Default: `baseUrl`; then a 404 is also accepted")),
  ),
  ...limits,
});
type Config = Static<typeof config>;

/** A request under the address of a connector. */
export const RequestInput = object({
  method: Type.Enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], {
    default: "GET",
  }),
  path: Type.Optional(Type.String({ maxLength: 8_000, description: "Path below `baseUrl`" })),
  url: Type.Optional(Type.String({ maxLength: 8_000, description: "Instead of `path`" })),
  query: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 200 })),
  headers: Type.Optional(InputHeaders),
  body: Type.Optional(
    Type.Unknown({
      description:
        "Strings are sent unchanged, files as their bytes, other values as JSON, or as a form according to `content-type`. Members of `multipart/form-data` can be files",
    }),
  ),
  response: Type.Optional(
    Type.Enum([...RESPONSE_FORMS], {
      description:
        "`file` stores the response as a file. `auto` (default) does so for content that is not text",
    }),
  ),
});

/** Any HTTP API, by its paths. */
export const http = connectorType({
  type: "http",
  summary: "An HTTP API",
  config,
  authKinds: AUTH_KINDS,
  actions: [
    action<Config, typeof RequestInput>({
      name: "request",
      summary: "Sends a request. Returns the status, headers and body of the response",
      input: RequestInput,
      run: (connection, input) => sendRequest(connection, connection.config, input),
    }),
  ],
  check: (platform, { baseUrl, headers }) => [
    ...urlErrors(platform, "/config/baseUrl", baseUrl),
    ...headerErrors("/config/headers", headers),
  ],
  test: (connection) => testHttp(connection, connection.config),
});

/** Sends a request under the connector's own address. */
export async function sendRequest(
  connection: UpstreamConnection,
  api: { readonly baseUrl: string; readonly headers?: Headers },
  { path, url, query, ...rest }: Static<typeof RequestInput>,
): Promise<HttpResponse> {
  const field = url === undefined ? "/input/path" : "/input/url";
  const place = joinUrl(
    api.baseUrl,
    { ...(path !== undefined && { path }), ...(url !== undefined && { url }) },
    field,
  );
  assertNoErrors(headerErrors("/input/headers", rest.headers));
  const headers = mergeHeaders(api.headers, rest.headers);
  return callHttp(connection, {
    method: rest.method,
    url: withQuery(place, query),
    ...(await encodeBody(connection, rest.body, headers)),
    ...(rest.response !== undefined && { response: rest.response }),
  });
}

/**
 * Tests whether an API is reachable: it accepts the credentials, and returns the test path if one is configured.
 * Few APIs have a resource at their root.
 */
export async function testHttp(
  connection: UpstreamConnection,
  about: { readonly baseUrl: string; readonly headers?: Headers; readonly testPath?: string },
): Promise<TestAnswer> {
  const { baseUrl, headers, testPath } = about;
  const url = joinUrl(baseUrl, { path: testPath ?? "" }, "/config/testPath");
  const answer = await callHttp(connection, {
    method: "GET",
    url,
    headers: mergeHeaders(headers),
  }).catch((error: unknown): Pick<HttpResponse, "status"> => {
    const status = error instanceof UpstreamError ? error.particulars.status : undefined;
    if (testPath !== undefined || (status !== 404 && status !== 405)) throw error;
    return { status };
  });
  return { status: answer.status };
}
