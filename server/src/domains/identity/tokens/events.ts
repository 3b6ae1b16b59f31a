import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";
import { LoggedToken } from "./token.ts";

export const TokenCreated = event("audit.token.created", {
  resource: "api_token",
  summary: "An API token was made.",
  data: LoggedToken,
});
export const TokenRotated = event("audit.token.rotated", {
  resource: "api_token",
  summary: "An API token was replaced by a new one.",
  data: Type.Object({ ...LoggedToken.properties, replaced: id("tok") }),
});
export const TokenRevoked = event("audit.token.revoked", {
  resource: "api_token",
  summary: "An API token was revoked.",
  data: LoggedToken,
});
