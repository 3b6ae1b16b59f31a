import Type from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { unwrapped } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { MCP_PATH } from "./resource-indicator.ts";
import { agentScopes } from "./scope.ts";

const Texts = Type.Array(Type.String());

const Metadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    registration_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    scopes_supported: Texts,
    response_types_supported: Texts,
    response_modes_supported: Texts,
    grant_types_supported: Texts,
    code_challenge_methods_supported: Texts,
    token_endpoint_auth_methods_supported: Texts,
    revocation_endpoint_auth_methods_supported: Texts,
    introspection_endpoint_auth_methods_supported: Texts,
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Boolean(),
    service_documentation: Type.String(),
  },
  { title: "OAuthMetadata" },
);

const SECRET = ["client_secret_basic", "client_secret_post"];

const ResourceMetadata = Type.Object(
  {
    resource: Type.String(),
    resource_name: Type.String(),
    authorization_servers: Texts,
    scopes_supported: Texts,
    bearer_methods_supported: Texts,
    resource_documentation: Type.String(),
  },
  { title: "ProtectedResourceMetadata" },
);

export const describeResource = query({
  id: "oauth.resource_metadata",
  route: "GET /.well-known/oauth-protected-resource",
  summary: "Get the OAuth metadata of the API",
  description:
    "RFC 9728: where a client gets its tokens. `WWW-Authenticate` of a 401 response refers to this document.",
  access: "public",
  response: unwrapped(ResourceMetadata),
  async run({ caller: { origin }, services }) {
    return {
      resource: origin,
      resource_name: "Millrace",
      authorization_servers: [origin],
      scopes_supported: services.permissions.map(({ name }) => name).toSorted(),
      bearer_methods_supported: ["header"],
      resource_documentation: `${origin}/docs`,
    };
  },
});

export const describeAgentResource = query({
  id: "oauth.agent_resource_metadata",
  route: "GET /.well-known/oauth-protected-resource/mcp",
  summary: "Get the OAuth metadata of the MCP server",
  description:
    "RFC 9728. `WWW-Authenticate` of a 401 response of `/mcp` refers to this document. It lists the scopes that agents usually need. A token gets the listed scopes that the user has and allows.",
  access: "public",
  query: object({ workspace: Type.Optional(line(100)) }),
  response: unwrapped(ResourceMetadata),
  async run({ caller: { origin }, services }, { query: { workspace } }) {
    const suffix = workspace ? `?${new URLSearchParams({ workspace }).toString()}` : "";
    return {
      resource: `${origin}${MCP_PATH}${suffix}`,
      resource_name: "Millrace for agents",
      authorization_servers: [origin],
      scopes_supported: agentScopes(services.permissions),
      bearer_methods_supported: ["header"],
      resource_documentation: `${origin}/docs`,
    };
  },
});

export const describeServer = query({
  id: "oauth.metadata",
  route: "GET /.well-known/oauth-authorization-server",
  summary: "Get the metadata of the OAuth server",
  description: "RFC 8414. The issuer is MILLRACE_BASE_URL; without it, the URL of the request.",
  access: "public",
  response: unwrapped(Metadata),
  async run({ caller: { origin }, services }) {
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/api/v1/oauth/token`,
      registration_endpoint: `${origin}/api/v1/oauth/register`,
      revocation_endpoint: `${origin}/api/v1/oauth/revoke`,
      introspection_endpoint: `${origin}/api/v1/oauth/introspect`,
      scopes_supported: services.permissions.map(({ name }) => name).toSorted(),
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", ...SECRET],
      revocation_endpoint_auth_methods_supported: ["none", ...SECRET],
      introspection_endpoint_auth_methods_supported: SECRET,
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${origin}/docs`,
    };
  },
});
