import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { CredentialSourcePoint } from "#kernel/access/authenticator.ts";
import { domain } from "#kernel/domain.ts";
import { TokenCreated, TokenRevoked, TokenRotated } from "./token.ts";
import { removeAll, tokenRetentionJob } from "./store.ts";
import { createToken, listTokens, revokeToken, rotateToken } from "./operations.ts";
import { listMemberTokens, revokeMemberToken } from "./member-tokens.ts";
import { TokensRead, TokensWrite } from "./token.ts";
import { apiTokens } from "./credential.ts";

export { findScopes } from "./store.ts";
export { revokeFor as revokeTokenFor } from "./service.ts";
export { TokenRevoked, TokensWrite } from "./token.ts";
export { limitToScopes } from "./credential.ts";

export const tokens = domain({
  name: "tokens",
  summary: "API tokens.",
  environmentScoped: false,
  permissions: [TokensRead, TokensWrite],
  events: [TokenCreated, TokenRotated, TokenRevoked],
  operations: [
    listTokens,
    createToken,
    rotateToken,
    revokeToken,
    listMemberTokens,
    revokeMemberToken,
  ],
  contributions: [
    contribute(CredentialSourcePoint, apiTokens),
    contribute(AccountCredentialPoint, {
      kind: "api_tokens",
      scope: "workspace",
      revoke: ({ tx }, userId) => removeAll(tx, userId),
    }),
  ],
  jobs: [tokenRetentionJob],
});
