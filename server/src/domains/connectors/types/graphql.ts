import Type, { type Static } from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { AUTH_KINDS } from "../auth.ts";
import { excerpt } from "../upstream/response.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import { callHttp } from "../upstream/http.ts";
import {
  AddressSchema,
  ConfigHeaders,
  headerErrors,
  urlErrors,
  mergeHeaders,
  urlOf,
} from "../upstream/target.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { action, connectorType, limits } from "./connector-type.ts";

const config = object({
  url: AddressSchema("URL of the endpoint"),
  headers: Type.Optional(ConfigHeaders),
  ...limits,
});
type Config = Static<typeof config>;

const QUERY_CHARACTERS_MAX = 200_000;

const Input = object({
  query: line(QUERY_CHARACTERS_MAX, "A GraphQL document"),
  variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  operationName: Type.Optional(line(200)),
});
type Input = Static<typeof Input>;

/** A GraphQL API. */
export const graphql = connectorType({
  type: "graphql",
  summary: "A GraphQL API",
  config,
  authKinds: AUTH_KINDS,
  actions: [
    action<Config, typeof Input>({
      name: "query",
      summary: "Runs a query. Returns `data`, and `errors` if only a part was read",
      input: Input,
      run(connection, input) {
        // Queries may be repeated, mutations may not.
        if (isMutation(input.query)) {
          throw invalidField(
            "/input/query",
            "must only read data. Use the action mutate to change data",
          );
        }
        return execute(connection, input, true);
      },
    }),
    action<Config, typeof Input>({
      name: "mutate",
      summary: "Runs a mutation. Returns `data`, and `errors` if only a part was changed",
      input: Input,
      run: (connection, input) => execute(connection, input, false),
    }),
  ],
  check: (platform, { url, headers }) => [
    ...urlErrors(platform, "/config/url", url),
    ...headerErrors("/config/headers", headers),
  ],
  async test(connection) {
    await execute(connection, { query: "{ __typename }" }, true);
    return { status: 200 };
  },
});

async function execute(
  connection: UpstreamConnection<Config>,
  input: Input,
  idempotent: boolean,
): Promise<unknown> {
  const { config: graphqlConfig, scrubber } = connection;
  const response = await callHttp(connection, {
    method: "POST",
    url: urlOf(graphqlConfig.url),
    headers: {
      accept: "application/graphql-response+json, application/json",
      ...mergeHeaders(graphqlConfig.headers),
      "content-type": "application/json",
    },
    body: JSON.stringify(input),
    idempotent,
  });
  const { status, body } = response;
  const { data, errors } = Object(body) as Record<string, unknown>;
  const failed = Array.isArray(errors) && errors.length > 0;
  if (data !== undefined && data !== null) return { data, ...(failed && { errors }) };
  const words = failed
    ? `The other system returned errors: ${messageOf(errors[0])}`
    : "The response is not a GraphQL response.";
  throw new UpstreamError(scrubber.scrub(words), { status, body: excerpt(body, scrubber) });
}

function messageOf(error: unknown): string {
  const { message } = Object(error) as { readonly message?: unknown };
  return typeof message === "string" ? message.slice(0, 500) : "no message";
}

/**
 * Returns whether a document contains a mutation or subscription at its top level, ignoring strings and comments.
 */
function isMutation(document: string): boolean {
  const bare = document.replaceAll(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#.*/g, " ");
  let depth = 0;
  for (const [token] of bare.matchAll(/[{}]|\b(?:mutation|subscription)\b/g)) {
    if (token === "{") depth += 1;
    else if (token === "}") depth -= 1;
    else if (depth === 0) return true;
  }
  return false;
}
