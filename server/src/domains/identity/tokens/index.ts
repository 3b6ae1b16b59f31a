import { domain } from "#kernel/domain.ts";
import { TokenCreated, TokenRevoked, TokenRotated } from "./events.ts";
import { pruneTokens } from "./jobs.ts";
import { createToken, listTokens, revokeToken, rotateToken } from "./operations.ts";
import { TokensRead, TokensWrite } from "./permissions.ts";
import { apiTokens } from "./credential.ts";

export const tokens = domain({
  name: "tokens",
  summary: "Long-lived credentials for programs.",
  environmental: false,
  permissions: [TokensRead, TokensWrite],
  events: [TokenCreated, TokenRotated, TokenRevoked],
  operations: [listTokens, createToken, rotateToken, revokeToken],
  credentials: [apiTokens],
  jobs: [pruneTokens],
});
